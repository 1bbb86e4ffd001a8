import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Approval } from '../approvals/approval.entity.js';
import { CallReviewsService } from '../gate/call-reviews.service.js';
import {
  type InteractiveItem,
  InteractiveMessageRegistry,
  type MessageItem,
} from '../notifications/interactive-message-registry.service.js';
import {
  type InteractiveSlackChannel,
  NotificationChannelsService,
} from '../notifications/notification-channels.service.js';
import { SlackApiClient } from '../notifications/slack-api-client.service.js';
import { newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { decisionMessage, linkMessage } from './slack-blocks.js';
import { contentHashOf } from './slack-content.js';
import { SlackDecisionMessage } from './slack-decision-message.entity.js';
import { SlackDecisionRulesService } from './slack-decision-rules.service.js';
import { SlackIdentitiesService } from './slack-identities.service.js';
import { SlackMessageClosingService } from './slack-message-closing.service.js';

/** Posts the messages on which members can decide. */
@Injectable()
export class SlackDecisionMessagesService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly interactiveMessages: InteractiveMessageRegistry,
    private readonly channels: NotificationChannelsService,
    private readonly slack: SlackApiClient,
    private readonly callReviews: CallReviewsService,
    private readonly rules: SlackDecisionRulesService,
    private readonly identities: SlackIdentitiesService,
    private readonly closing: SlackMessageClosingService,
  ) {}

  onModuleInit(): void {
    this.interactiveMessages.register((item) => this.send(item));
  }

  private async send({ messageId, channel, member, item }: InteractiveItem): Promise<boolean> {
    const { approvalId } = item;
    if (!approvalId || !channel.sealedSigningSecret) return false;
    const { tenantId } = channel;
    const app = channel as InteractiveSlackChannel;
    const prepared = await this.database.tenant({ tenantId }, async (tx) => {
      const stored = await tx.findOneBy(SlackDecisionMessage, { tenantId, deliveryId: messageId, approvalId });
      const approval = await tx.findOneBy(Approval, { tenantId, id: approvalId, state: 'pending' });
      const destination = member ? await this.identities.findSlackUserId(tx, app, member.id) : channel.target;
      const isDecidable = approval && destination && !(await this.rules.findObstacle(tx, approval, [app]));
      return { stored, decidable: isDecidable ? { approval, destination } : null };
    });
    const { stored, decidable } = prepared;
    if (!decidable) return stored !== null;
    const review = await this.callReviews.getOf(decidable.approval);
    if (this.callReviews.findArguments(review) === null) return stored !== null;
    const text = await this.rules.textOf(tenantId, review);
    if (!text) return stored !== null;
    const { argumentsHash, definitionHash } = review;
    const shown = decisionMessage(item, text, argumentsHash);
    const place = stored ?? (await this.post(app, decidable.destination, item));
    // without its place, the message decides nothing
    if (!place) return true;
    const message: SlackDecisionMessage = {
      tenantId,
      id: stored?.id ?? newId(),
      deliveryId: messageId,
      approvalId,
      channelId: app.id,
      memberId: member?.id ?? null,
      slackChannelId: place.slackChannelId,
      ts: place.ts,
      argumentsHash,
      definitionHash,
      contentHash: contentHashOf(shown.blocks),
      slackAppId: place.slackAppId,
      closedAt: null,
    };
    if (!(await this.storeIfPending(message))) return true;
    const { slackChannelId, ts } = message;
    await this.slack.call(this.channels.open(app).secret, 'chat.update', { channel: slackChannelId, ts, ...shown });
    // the outcome may have been overwritten with buttons
    await this.storeIfPending(message);
    return true;
  }

  private async post(app: InteractiveSlackChannel, destination: string, item: MessageItem) {
    const posted = await this.slack.call(this.channels.open(app).secret, 'chat.postMessage', {
      channel: destination,
      ...linkMessage(item),
    });
    const { channel, ts, message } = posted;
    if (typeof channel !== 'string' || !ts) return null;
    return { slackChannelId: channel, ts, slackAppId: message?.app_id ?? null };
  }

  /** The lock waits for a decision that does not see the message yet. A message of a closed approval is closed again. */
  private storeIfPending(message: SlackDecisionMessage): Promise<boolean> {
    const { tenantId, approvalId } = message;
    return this.database.tenant({ tenantId }, async (tx) => {
      await tx.upsert(SlackDecisionMessage, message, ['tenantId', 'id']);
      const { state } = await tx.findOneOrFail(Approval, {
        where: { tenantId, id: approvalId },
        lock: { mode: 'pessimistic_read' },
      });
      if (state === 'pending') return true;
      await this.closing.enqueue(tx, tenantId, approvalId);
      return false;
    });
  }
}
