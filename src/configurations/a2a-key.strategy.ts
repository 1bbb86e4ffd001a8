import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import type { Request } from 'express';
import { Strategy } from 'passport-custom';
import { bearer } from '../platform/http/bearer.js';
import type { Principal } from '../principal/principal.js';
import { A2aKeyAuthenticator } from './a2a-key-authenticator.service.js';

/** Authenticates an agent identity at the URL of its configuration, `/agents/:configurationId/…`. */
@Injectable()
export class A2aKeyStrategy extends PassportStrategy(Strategy, 'a2a-key') {
  constructor(private readonly authenticator: A2aKeyAuthenticator) {
    super();
  }

  async validate(request: Request): Promise<Principal | false> {
    const configurationId = String(request.params.configurationId);
    return (await this.authenticator.findPrincipal(bearer(request), configurationId)) ?? false;
  }
}
