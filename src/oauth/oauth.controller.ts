import { Controller, Get, Options, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Public } from '../principal/allow.decorator.js';
import { ProviderService } from './provider.service.js';
import { findSessionPrincipal } from './session-principal.js';

/** The protocol endpoints. They are public because the library authenticates their requests. */
@Controller()
@Public()
export class OauthController {
  constructor(private readonly providers: ProviderService) {}

  @Get(['oauth2/authorize', 'oauth2/authorize/:id'])
  async authorize(@Req() request: Request, @Res() response: Response) {
    request.user = (await findSessionPrincipal(request)) ?? undefined;
    await this.handle(request, response);
  }

  @Post(['oauth2/token', 'oauth2/revoke', 'oauth2/device_authorization'])
  handleClientRequest(@Req() request: Request, @Res() response: Response) {
    return this.handle(request, response);
  }

  @Get(['oauth2/jwks', '.well-known/oauth-authorization-server', '.well-known/openid-configuration'])
  metadata(@Req() request: Request, @Res() response: Response) {
    return this.handle(request, response);
  }

  @Options([
    'oauth2/token',
    'oauth2/revoke',
    'oauth2/device_authorization',
    'oauth2/jwks',
    '.well-known/oauth-authorization-server',
    '.well-known/openid-configuration',
  ])
  preflight(@Req() request: Request, @Res() response: Response) {
    return this.handle(request, response);
  }

  private async handle(request: Request, response: Response): Promise<void> {
    const { handle } = await this.providers.current();
    await handle(request, response);
  }
}
