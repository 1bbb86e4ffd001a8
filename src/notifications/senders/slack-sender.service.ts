import { Injectable } from '@nestjs/common';
import { z } from 'zod';
import { Config } from '../../platform/config/config.js';
import { OutboundHttpClient } from '../../platform/http/outbound-http-client.service.js';
import { OutboundHttpError } from '../../platform/http/outbound-http.error.js';
import { DeliveryFailure, retryAfterMs } from '../delivery-failure.js';
import type { NotificationMessage } from '../notification-message.js';
import { slackBodyOf } from './webhook-sender.service.js';

const slackAnswer = z.object({
  ok: z.boolean(),
  error: z.string().max(200).optional(),
  user: z.object({ id: z.string() }).optional(),
});
/** Slack's problems that pass by themselves. All others need somebody: a token, a scope, an invitation to the channel. */
const passingErrors = new Set([
  'ratelimited',
  'rate_limited',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
]);

/** Sends messages with the bot token of a Slack app. */
@Injectable()
export class SlackSenderService {
  constructor(
    private readonly config: Config,
    private readonly http: OutboundHttpClient,
  ) {}

  async sendToChannel(token: string, channel: string, message: NotificationMessage): Promise<void> {
    await this.call(token, 'chat.postMessage', { channel, ...slackBodyOf(message) });
  }

  /** Slack knows the member by their email address. */
  async sendToMember(token: string, email: string, message: NotificationMessage): Promise<void> {
    const { user } = await this.call(token, 'users.lookupByEmail', { email });
    if (!user) throw new DeliveryFailure('Slack found no user with the address of the member.', true);
    await this.sendToChannel(token, user.id, message);
  }

  private async call(token: string, method: string, body: Record<string, unknown>) {
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
