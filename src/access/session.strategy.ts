import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-custom';
import { hashToken, tokenKind } from '../platform/crypto/tokens.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { CookiesService } from '../platform/http/cookies.service.js';
import type { Principal } from '../principal/principal.js';
import { sessionByToken } from './credentials.system.sql.js';
import { memberPrincipal } from './member-principal.js';
import { sessionCookie, sessionIdleSeconds } from './sessions.service.js';

/** Authenticates a member's browser by its session cookie. */
@Injectable()
export class SessionStrategy extends PassportStrategy(Strategy, 'session') {
  constructor(
    private readonly database: DatabaseService,
    private readonly cookies: CookiesService,
  ) {
    super();
  }

  async validate(request: Request): Promise<Principal | false> {
    const token = this.cookies.read(request, sessionCookie) ?? '';
    if (tokenKind(token) !== 'ses') return false;
    const session = await this.database.systemPool.one(sessionByToken, [hashToken(token), sessionIdleSeconds]);
    return session ? memberPrincipal(session) : false;
  }
}
