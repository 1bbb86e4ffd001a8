import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-custom';
import { hashToken, tokenKind } from '../platform/crypto/tokens.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { bearer } from '../platform/http/bearer.js';
import type { Principal } from '../principal/principal.js';
import { adminTokenByToken } from './credentials.system.sql.js';
import { adminTokenPrincipal } from './member-principal.js';

/** Authenticates a program that administers on behalf of a member. */
@Injectable()
export class AdminTokenStrategy extends PassportStrategy(Strategy, 'admin-token') {
  constructor(private readonly database: DatabaseService) {
    super();
  }

  async validate(request: Request): Promise<Principal | false> {
    const token = bearer(request);
    if (tokenKind(token) !== 'adm') return false;
    const holder = await this.database.systemPool.one(adminTokenByToken, [hashToken(token)]);
    return holder ? adminTokenPrincipal(holder) : false;
  }
}
