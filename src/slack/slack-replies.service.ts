import { Injectable } from '@nestjs/common';
import { maxDenialReasonLength } from '../approvals/approval-decision.port.js';
import {
  type InteractiveSlackChannel,
  NotificationChannelsService,
} from '../notifications/notification-channels.service.js';
import { DeliveryFailure, SlackApiClient } from '../notifications/slack-api-client.service.js';
import { Problem } from '../platform/errors/problem.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { denyView, reasonField } from './slack-blocks.js';
import type { SlackDecisionMessage } from './slack-decision-message.entity.js';
import type { SlackPayload } from './slack-payload.js';
import { SlackRefusalsService } from './slack-refusals.service.js';

/** What Slack receives as the body of the response. Null: nothing. */
export type SlackAnswer = Record<string, unknown> | null;

/** Leaves the dialog open. */
export const errorInDialog = (text: string): SlackAnswer => ({
  response_action: 'errors',
  errors: { [reasonField]: text },
});

/** Replies to the person who clicked a button in Slack. */
@Injectable()
export class SlackRepliesService {
  constructor(
    private readonly slack: SlackApiClient,
    private readonly channels: NotificationChannelsService,
    private readonly refusals: SlackRefusalsService,
    private readonly log: LogService,
  ) {}

  /** Opens a dialog, because a denial needs a reason. */
  async askForReason(
    channel: InteractiveSlackChannel,
    { slackChannelId, ts, argumentsHash }: SlackDecisionMessage,
    triggerId: string,
  ): Promise<void> {
    const view = denyView(JSON.stringify([slackChannelId, ts, argumentsHash]), maxDenialReasonLength);
    await this.slack.call(this.channels.open(channel).secret, 'views.open', { trigger_id: triggerId, view });
  }

  /** Says why nothing was decided. Only the person who clicked sees it. */
  refuse(channels: readonly InteractiveSlackChannel[], payload: SlackPayload, error: unknown): SlackAnswer {
    const [{ tenantId }] = channels;
    const isExpected = error instanceof Problem || error instanceof DeliveryFailure;
    if (!isExpected) this.log.error({ err: error, tenantId }, 'a decision in Slack failed');
    if (error instanceof Problem) this.refusals.add(tenantId, error.message, payload.user.id);
    const reason = isExpected ? error.message : 'Something went wrong. Open the approval in Countersign.';
    const text = `${reason} Nothing was decided here.`;
    if (payload.type === 'view_submission') return errorInDialog(text);
    this.sendEphemeral(channels[0], payload.container.channel_id, payload.user.id, text);
    return null;
  }

  /** Slack waits three seconds for the response, so the text follows on its own. */
  private sendEphemeral(app: InteractiveSlackChannel, channel: string, user: string, text: string): void {
    this.slack
      .call(this.channels.open(app).secret, 'chat.postEphemeral', {
        channel,
        user,
        text: 'Nothing was decided',
        blocks: [{ type: 'section', text: { type: 'plain_text', text: text.slice(0, 2900), emoji: false } }],
      })
      .catch((error: unknown) => this.log.warn({ err: error }, 'could not answer a click in Slack'));
  }
}
