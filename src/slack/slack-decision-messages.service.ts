import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Approval } from '../approvals/approval.entity.js';
import { CallReviewsService } from '../gate/call-reviews.service.js';
import {
  type InteractiveItem,
  InteractiveMessageRegistry,
} from '../notifications/interactive-message-registry.service.js';
import {
  type InteractiveSlackChannel,
  NotificationChannelsService,
} from '../notifications/notification-channels.service.js';
import { SlackApiClient } from '../notifications/slack-api-client.service.js';
import { newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { decisionMessage } from './slack-blocks.js';
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
      const isSent = await tx.existsBy(SlackDecisionMessage, { tenantId, deliveryId: messageId, approvalId });
      if (isSent) return { isSent };
      const approval = await tx.findOneBy(Approval, { tenantId, id: approvalId, state: 'pending' });
      const destination = member ? await this.identities.findSlackUserId(tx, app, member.id) : channel.target;
      if (!approval || !destination || (await this.rules.findObstacle(tx, approval, [app]))) return null;
      return { isSent, approval, destination };
    });
    if (!prepared?.approval) return prepared?.isSent ?? false;
    const review = await this.callReviews.getOf(prepared.approval);
    const text = await this.rules.textOf(tenantId, review);
    if (!text) return false;
    const { argumentsHash, definitionHash } = review;
    const posted = await this.slack.call(this.channels.open(app).secret, 'chat.postMessage', {
      channel: prepared.destination,
      ...decisionMessage(item, text, argumentsHash),
    });
    // without its place, the message decides nothing
    if (typeof posted.channel !== 'string' || !posted.ts) return true;
    await this.database.tenant({ tenantId }, async (tx) => {
      await tx.insert(SlackDecisionMessage, {
        tenantId,
        id: newId(),
        deliveryId: messageId,
        approvalId,
        channelId: app.id,
        memberId: member?.id ?? null,
        slackChannelId: posted.channel as string,
        ts: posted.ts!,
        argumentsHash,
        definitionHash,
        closedAt: null,
      });
      // closed while the message was posted
      const { state } = await tx.findOneByOrFail(Approval, { tenantId, id: approvalId });
      if (state !== 'pending') await this.closing.enqueue(tx, tenantId, approvalId);
    });
    return true;
  }
}
