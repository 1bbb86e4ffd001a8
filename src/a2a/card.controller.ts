import { Controller, Get, Param, Req, Res, UseGuards } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { CardService } from './card.service.js';
import { CountsAs, RateLimitGuard } from '../limits/rate-limit.guard.js';

@Controller('agents/:configurationId')
@Authenticate('a2a-key')
@Allow()
@UseGuards(RateLimitGuard)
export class CardController {
  constructor(private readonly cards: CardService) {}

  @Get('.well-known/agent.json')
  @CountsAs('reads')
  async card(
    @CurrentPrincipal() principal: Principal,
    @Param('configurationId') configurationId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { text, tag } = await this.cards.cardOf(principal, configurationId);
    response.set({ ETag: tag, 'Cache-Control': 'private, no-cache', Vary: 'Authorization' });
    if (request.get('If-None-Match')?.includes(tag)) response.status(304).end();
    else response.type('application/json').send(text);
  }
}
