import { Controller, Headers, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { Public } from '../principal/allow.decorator.js';
import { SlackInteractionsService } from './slack-interactions.service.js';

/** The request URL of the Slack app. Public, because Slack signs its requests. */
@Controller('slack')
@Public()
export class SlackInteractionsController {
  constructor(private readonly interactions: SlackInteractionsService) {}

  @Post(':tenantId')
  @HttpCode(200)
  async receive(
    @Param('tenantId') tenantId: string,
    @Req() { body }: Request<unknown, unknown, unknown>,
    @Headers('x-slack-request-timestamp') timestamp?: string,
    @Headers('x-slack-signature') signature?: string,
  ) {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    return (await this.interactions.receive(tenantId, { body: bytes, timestamp, signature })) ?? '';
  }
}
