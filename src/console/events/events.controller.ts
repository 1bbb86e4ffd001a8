import { Controller, Get, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { ConsoleStreamsService } from './console-streams.service.js';

/**
 * Change events for an open console: kind and id only. The console loads the data through the API, which checks
 * permissions.
 */
@Controller('console/events')
@Authenticate('session')
@Allow()
export class EventsController {
  constructor(private readonly streams: ConsoleStreamsService) {}

  @Get()
  follow(@CurrentPrincipal() principal: Principal, @Req() request: Request, @Res() response: Response): void {
    this.streams.open(principal, request, response);
  }
}
