import { Injectable } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { sha256 } from '../../platform/crypto/digest.js';
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
    // retention or another software version can change the lines of the same range
    const id = `${batch.id}_${sha256(body).toString('hex').slice(0, 16)}`;
    const headers = {
      ...Object.fromEntries(settings.headers.map(({ name, value }) => [name, value])),
      'content-type': 'application/jsonl; charset=utf-8',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(settings.signingSecret!).sign(id, now, body),
    };
    const response = await postBatch(this.http, settings.address, body, headers, signal);
    await response.body?.cancel();
  }
}
