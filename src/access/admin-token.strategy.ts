import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-custom';
import { hashToken, tokenKind } from '../platform/crypto/tokens.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { bearer } from '../platform/http/bearer.js';
import type { Principal } from '../principal/principal.js';
import { adminTokenByToken, type AdminTokenRow } from './credentials.system.sql.js';
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
    const values = [hashToken(token)];
    const { rows } = await this.database.systemPool.query<AdminTokenRow>({ ...adminTokenByToken, values });
    return rows.length ? adminTokenPrincipal(rows[0]) : false;
  }
}
