import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Config } from '../platform/config/config.js';
import { OutboundHttpClient } from '../platform/http/outbound-http-client.service.js';
import { OutboundHttpError } from '../platform/http/outbound-http.error.js';
import { DeliveryFailure, retryAfterMs } from './delivery-failure.js';

export { DeliveryFailure } from './delivery-failure.js';

const slackAnswer = z.object({
  ok: z.boolean(),
  error: z.string().max(200).optional(),
  user: z.object({ id: z.string() }).optional(),
  /** Where a message was posted, and its id there. */
  channel: z.unknown().optional(),
  ts: z.string().optional(),
  team_id: z.string().optional(),
  /** The message as it was posted, with the app that posted it. */
  message: z
    .object({ app_id: z.string().max(100) })
    .optional()
    .catch(undefined),
  /** Where a connection in socket mode is opened. */
  url: z.string().max(2000).optional(),
});
type SlackAnswer = z.infer<typeof slackAnswer>;
/** Slack's problems that pass by themselves. All others need an administrator: a token, a scope, an invitation to the channel. */
const passingErrors = new Set([
  'ratelimited',
  'rate_limited',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
]);

/** Calls methods of Slack's Web API. */
@Injectable()
export class SlackApiClient {
  constructor(
    private readonly config: Config,
    private readonly http: OutboundHttpClient,
  ) {}

  /** Rejects with `DeliveryFailure` if Slack does not answer with success. */
  async call(token: string, method: string, body: Record<string, unknown>): Promise<SlackAnswer> {
    const isForm = method === 'users.lookupByEmail'; // reads accept no JSON
    try {
      const response = await this.http.fetch(`${this.config.slackApiUrl}/${method}`, {
        method: 'POST',
        redirect: 'error',
        isOperatorAddress: true,
        maxBytes: 256 * 1024,
        headersTimeoutMs: 15_000,
        headers: {
          authorization: `Bearer ${token}`,
          'content-type': isForm ? 'application/x-www-form-urlencoded' : 'application/json; charset=utf-8',
        },
        body: isForm ? new URLSearchParams(body as Record<string, string>).toString() : JSON.stringify(body),
      });
      if (!response.ok) {
        await response.body?.cancel();
        throw new DeliveryFailure(
          `Slack answered ${method} with status ${response.status}.`,
          false,
          retryAfterMs(response.headers),
        );
      }
      const answer = slackAnswer.safeParse(await response.json());
      if (!answer.success) throw new DeliveryFailure(`Slack's answer to ${method} has an unknown form.`, false);
      if (answer.data.ok) return answer.data;
      const code = answer.data.error?.replace(/[^\w-]/g, '') ?? 'unknown';
      throw new DeliveryFailure(`Slack refused ${method}: ${code}.`, !passingErrors.has(code));
    } catch (error) {
      if (error instanceof DeliveryFailure) throw error;
      if (error instanceof OutboundHttpError) throw new DeliveryFailure(error.message, false);
      if (error instanceof SyntaxError) throw new DeliveryFailure(`Slack's answer to ${method} is not JSON.`, false);
      throw error;
    }
  }
}
