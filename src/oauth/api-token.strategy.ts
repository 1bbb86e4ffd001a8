import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-custom';
import { tokenKind } from '../platform/crypto/tokens.js';
import { bearer } from '../platform/http/bearer.js';
import type { Principal } from '../principal/principal.js';
import { AccessTokensService } from './access-tokens.service.js';

/** Authenticates a member who uses the API through a product. */
@Injectable()
export class ApiTokenStrategy extends PassportStrategy(Strategy, 'api-token') {
  constructor(private readonly tokens: AccessTokensService) {
    super();
  }

  async validate(request: Request): Promise<Principal | false> {
    const token = bearer(request);
    return tokenKind(token) === 'api' && (await this.tokens.principalOf(token, 'api'));
  }
}
