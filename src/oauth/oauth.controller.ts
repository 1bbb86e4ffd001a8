import { Controller, Get, Options, Post, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Public } from '../principal/allow.decorator.js';
import { ProviderService } from './provider.service.js';
import { visitor } from './visitor.guard.js';

/** The protocol's own addresses. Open to everybody: what is presented there is for the library to judge. */
@Controller()
@Public()
export class OAuthController {
  constructor(private readonly providers: ProviderService) {}

  @Get(['oauth2/authorize', 'oauth2/authorize/:id'])
  async authorize(@Req() request: Request, @Res() response: Response) {
    request.user = (await visitor(request)) ?? undefined;
    await this.answer(request, response);
  }

  @Post(['oauth2/token', 'oauth2/revoke', 'oauth2/device_authorization'])
  forPrograms(@Req() request: Request, @Res() response: Response) {
    return this.answer(request, response);
  }

  @Get(['oauth2/jwks', '.well-known/oauth-authorization-server', '.well-known/openid-configuration'])
  describe(@Req() request: Request, @Res() response: Response) {
    return this.answer(request, response);
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
    return this.answer(request, response);
  }

  private async answer(request: Request, response: Response): Promise<void> {
    const { handle } = await this.providers.current();
    await handle(request, response);
  }
}
