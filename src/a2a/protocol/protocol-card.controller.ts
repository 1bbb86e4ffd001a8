import { Controller, Get, Param, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { CountsAs, RateLimitGuard } from '../../limits/rate-limit.guard.js';
import { toHttpErrorBody, toA2aError } from './errors.js';
import { ProtocolCardsService } from './protocol-cards.service.js';
import { requestedVersion } from './version.js';

@Controller('agents/:configurationId')
@Authenticate('a2a-key')
@Allow()
@UseGuards(RateLimitGuard)
export class ProtocolCardController {
  constructor(private readonly cards: ProtocolCardsService) {}

  @Get('.well-known/agent-card.json')
  @CountsAs('reads')
  async card(
    @CurrentPrincipal() principal: Principal,
    @Param('configurationId') configurationId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    response.set({ 'Cache-Control': 'private, max-age=0, must-revalidate', Vary: 'Authorization, A2A-Version' });
    try {
      const form = requestedVersion(request) ?? 'hybrid';
      const { text, tag, since } = await this.cards.render({ principal, configurationId }, form);
      response.set({ ETag: tag, 'Last-Modified': since.toUTCString() });
      if (request.get('If-None-Match')?.includes(tag)) response.status(304).end();
      else response.type('application/json').send(text);
    } catch (error) {
      const known = toA2aError(error);
      if (!known || known.kind.reason !== 'VERSION_NOT_SUPPORTED') throw error;
      response.status(known.kind.http).json(toHttpErrorBody(known));
    }
  }
}
