import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { OutboundHttpClient } from '../../platform/http/outbound-http-client.service.js';
import { OutboundHttpError } from '../../platform/http/outbound-http.error.js';
import type { AuditStreamSettings } from '../audit-stream-settings.js';
import { otlpLogsOf } from './otlp-logs.js';
import { postBatch } from './post-batch.js';
import type { StreamBatch } from './stream-batch.js';
import { StreamFailure } from './stream-failure.js';

const partialSuccess = z.object({
  partialSuccess: z
    .object({ rejectedLogRecords: z.coerce.number().default(0), errorMessage: z.string().default('') })
    .optional(),
});

/** Sends OpenTelemetry logs: OTLP over HTTP, in the JSON encoding. */
@Injectable()
export class OtlpSenderService {
  constructor(private readonly http: OutboundHttpClient) {}

  async send(batch: StreamBatch, settings: AuditStreamSettings, signal: AbortSignal): Promise<void> {
    const headers = new Headers(settings.headers.map(({ name, value }): [string, string] => [name, value]));
    headers.set('content-type', 'application/json');
    const body = JSON.stringify(otlpLogsOf(batch));
    const response = await postBatch(this.http, settings.address, body, headers, signal);
    const answer = await readAnswer(response);
    const { rejectedLogRecords = 0, errorMessage = '' } = answer?.partialSuccess ?? {};
    if (rejectedLogRecords > 0)
      throw new StreamFailure(`The receiver rejected ${rejectedLogRecords} log records: ${errorMessage}`, 0, true);
  }
}

/** Null: the receiver says nothing about records that it rejected. */
async function readAnswer(response: Response) {
  try {
    return partialSuccess.safeParse(JSON.parse(await response.text())).data ?? null;
  } catch (error) {
    if (error instanceof OutboundHttpError) throw new StreamFailure(error.message);
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
