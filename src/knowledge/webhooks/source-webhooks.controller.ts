import { Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { Request } from 'express';
import { Public } from '../../principal/allow.decorator.js';
import { SourceWebhooksService } from './source-webhooks.service.js';

/** Receives webhooks of connected sources. Public, because the connector verifies the signature of the source. */
@Controller('webhooks/sources/:connectionId')
@Public()
export class SourceWebhooksController {
  constructor(private readonly webhooks: SourceWebhooksService) {}

  @Post()
  @HttpCode(200)
  async receive(@Param('connectionId') connectionId: string, @Req() request: Request<unknown, unknown, unknown>) {
    const { body, headers, ip = '' } = request;
    return (await this.webhooks.receive(connectionId, { headers, body, address: ip })) ?? '';
  }
}
