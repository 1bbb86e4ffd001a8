import { Injectable } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { OutboundHttpClient } from '../../platform/http/outbound-http-client.service.js';
import { OutboundHttpError } from '../../platform/http/outbound-http.error.js';
import { DeliveryFailure, retryAfterMs } from '../delivery-failure.js';
import { type NotificationMessage, plainTextOf, subjectOf } from '../notification-message.js';

/** Sends requests to webhooks that administrators added. */
@Injectable()
export class WebhookSenderService {
  constructor(private readonly http: OutboundHttpClient) {}

  /** Signed according to Standard Webhooks. */
  async sendSigned(address: string, secret: string, message: NotificationMessage): Promise<void> {
    const { id, organization, items, moreCount } = message;
    const now = new Date();
    const body = JSON.stringify({
      type: 'notifications',
      timestamp: now.toISOString(),
      data: { organization, notifications: items.map(({ approvalId: _, ...item }) => item), moreCount },
    });
    await this.post(address, body, {
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(secret).sign(id, now, body),
    });
  }

  async sendToSlack(address: string, message: NotificationMessage): Promise<void> {
    await this.post(address, JSON.stringify(slackBodyOf(message)));
  }

  async sendToTeams(address: string, message: NotificationMessage): Promise<void> {
    await this.post(address, JSON.stringify(teamsBodyOf(message)));
  }

  /** The status is the whole answer. The body is not read, however long it is. */
  private async post(address: string, body: string, headers: Record<string, string> = {}): Promise<void> {
    let response: Response;
    try {
      response = await this.http.fetch(address, {
        method: 'POST',
        redirect: 'error',
        headers: { 'content-type': 'application/json', ...headers },
        body,
        headersTimeoutMs: 15_000,
      });
    } catch (error) {
      if (!(error instanceof OutboundHttpError)) throw error;
      throw new DeliveryFailure(error.message, error.code === 'url-refused');
    }
    await response.body?.cancel();
    if (response.ok) return;
    throw new DeliveryFailure(
      `The webhook answered with status ${response.status}.`,
      response.status === 410,
      retryAfterMs(response.headers),
    );
  }
}

const escapeForSlack = (text: string) =>
  text.replace(/[&<>]/g, (c) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[c]!);
const maxSlackSections = 20;

/** Names appear only in plain text blocks, where Slack renders no markup and no mentions. */
export function slackBodyOf(message: NotificationMessage) {
  const shown = message.items.slice(0, maxSlackSections);
  const more = message.items.length - shown.length + message.moreCount;
  return {
    text: escapeForSlack(subjectOf(message)),
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      ...shown.flatMap((item) => [
        { type: 'section', text: { type: 'plain_text', text: factLinesOf(item).slice(0, 2900), emoji: false } },
        { type: 'context', elements: [{ type: 'mrkdwn', text: `<${item.url}|Open in Countersign>` }] },
      ]),
      ...(more ? [{ type: 'context', elements: [{ type: 'plain_text', text: `and ${more} more` }] }] : []),
    ],
  };
}

const factLinesOf = (item: NotificationMessage['items'][number]) =>
  [item.title, ...item.facts.map(({ label, value }) => `${label}: ${value}`)].join('\n');

const maxTeamsItems = 10;

/** Text runs render no Markdown. */
export function teamsBodyOf(message: NotificationMessage) {
  const shown = message.items.slice(0, maxTeamsItems);
  const more = message.items.length - shown.length + message.moreCount;
  const paragraph = (text: string, weight = 'Default') => ({
    type: 'RichTextBlock',
    inlines: [{ type: 'TextRun', text, weight }],
  });
  const body = shown.flatMap((item) => [
    paragraph(item.title, 'Bolder'),
    ...item.facts.map(({ label, value }) => paragraph(`${label}: ${value}`)),
    {
      type: 'ActionSet',
      actions: [{ type: 'Action.OpenUrl', title: 'Open in Countersign', url: item.url }],
    },
  ]);
  return {
    type: 'message',
    summary: plainTextOf(message).slice(0, 200),
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: more ? [...body, paragraph(`and ${more} more`)] : body,
        },
      },
    ],
  };
}
