import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { OutboundHttpClient } from '../../platform/http/outbound-http-client.service.js';
import { OutboundHttpError } from '../../platform/http/outbound-http.error.js';
import type { AuditStreamSettings } from '../audit-stream-settings.js';
import { otlpLogsOf } from './otlp-logs.js';
import { postBatch } from './post-batch.js';
import type { StreamBatch } from './stream-batch.js';
import { StreamFailure } from './stream-failure.js';

const answerSchema = z.object({
  partialSuccess: z
    .object({ rejectedLogRecords: z.coerce.number().default(0), errorMessage: z.string().default('') })
    .nullish(),
  /** Not of OTLP: some receivers and proxies report errors like this, with status 200. */
  error: z.unknown().optional(),
  errors: z.unknown().optional(),
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
    const { rejectedLogRecords = 0, errorMessage = '' } = (await readAnswer(response))?.partialSuccess ?? {};
    if (rejectedLogRecords > 0)
      throw new StreamFailure(`The receiver rejected ${rejectedLogRecords} log records: ${errorMessage}`, 0, true);
  }
}

/** Null: the answer is empty. Throws if it is not an answer of OTLP, because a proxy that stores no events may have sent it. */
async function readAnswer(response: Response) {
  try {
    const text = await response.text();
    if (!text.trim()) return null;
    const answer = answerSchema.safeParse(JSON.parse(text)).data;
    const reported = [answer?.error, answer?.errors].flat();
    if (answer && !reported.some(Boolean)) return answer;
  } catch (error) {
    if (error instanceof OutboundHttpError) throw new StreamFailure(error.message);
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new StreamFailure(`The receiver answered with status ${response.status}, but not as OTLP defines it.`);
}
