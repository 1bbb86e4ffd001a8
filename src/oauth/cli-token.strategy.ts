import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-custom';
import { tokenKind } from '../platform/crypto/tokens.js';
import { bearer } from '../platform/http/bearer.js';
import type { Principal } from '../principal/principal.js';
import { CliTokensService } from './cli-tokens.service.js';

/** Authenticates a member who uses a terminal. */
@Injectable()
export class CliTokenStrategy extends PassportStrategy(Strategy, 'cli-token') {
  constructor(private readonly tokens: CliTokensService) {
    super();
  }

  async validate(request: Request): Promise<Principal | false> {
    const token = bearer(request);
    return tokenKind(token) === 'cli' && (await this.tokens.principalOf(token));
  }
}
