import { Injectable } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { OutboundHttpClient } from '../../platform/http/outbound-http-client.service.js';
import type { AuditStreamSettings } from '../audit-stream-settings.js';
import { postBatch } from './post-batch.js';
import { eventLine, headLine, type StreamBatch } from './stream-batch.js';

/** Sends JSON Lines, signed according to Standard Webhooks. */
@Injectable()
export class WebhookStreamSenderService {
  constructor(private readonly http: OutboundHttpClient) {}

  async send(batch: StreamBatch, settings: AuditStreamSettings, signal: AbortSignal): Promise<void> {
    const body = [...batch.events.map(eventLine), ...batch.heads.map(headLine)].map((line) => `${line}\n`).join('');
    const now = new Date();
    const headers = {
      ...Object.fromEntries(settings.headers.map(({ name, value }) => [name, value])),
      'content-type': 'application/jsonl; charset=utf-8',
      'webhook-id': batch.id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(settings.signingSecret!).sign(batch.id, now, body),
    };
    const response = await postBatch(this.http, settings.address, body, headers, signal);
    await response.body?.cancel();
  }
}
