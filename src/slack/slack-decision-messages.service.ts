import { Injectable, type OnModuleInit } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Member } from '../access/member.entity.js';
import { Approval, type ApprovalState } from '../approvals/approval.entity.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { CallReviewContextService } from '../gate/call-review-context.service.js';
import type { CallReview } from '../gate/call-review.entity.js';
import { CallReviewsService } from '../gate/call-reviews.service.js';
import {
  type InteractiveItem,
  InteractiveMessageRegistry,
} from '../notifications/interactive-message-registry.service.js';
import {
  type InteractiveSlackChannel,
  NotificationChannelsService,
} from '../notifications/notification-channels.service.js';
import { DeliveryFailure, SlackApiClient } from '../notifications/senders/slack-api-client.service.js';
import { Config } from '../platform/config/config.js';
import { newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { quoteExternalText } from '../platform/text/quote-external-text.js';
import { systemPrincipal } from '../principal/principal.js';
import { closedMessage, decisionMessage } from './slack-blocks.js';
import { SlackDecisionMessage } from './slack-decision-message.entity.js';
import { SlackDecisionRulesService } from './slack-decision-rules.service.js';
import { decisionTextOf } from './slack-decision-text.js';
import { SlackIdentitiesService } from './slack-identities.service.js';

const closeJob = 'slack.close_messages';

/** Posts the messages on which members can decide, and removes their buttons once the approval is closed. */
@Injectable()
export class SlackDecisionMessagesService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly config: Config,
    private readonly log: LogService,
    private readonly interactiveMessages: InteractiveMessageRegistry,
    private readonly channels: NotificationChannelsService,
    private readonly slack: SlackApiClient,
    private readonly approvals: ApprovalsService,
    private readonly callReviews: CallReviewsService,
    private readonly callReviewContext: CallReviewContextService,
    private readonly rules: SlackDecisionRulesService,
    private readonly identities: SlackIdentitiesService,
  ) {}

  onModuleInit(): void {
    this.interactiveMessages.register((item) => this.send(item));
    this.queue.handle(closeJob, ({ tenantId, approvalId }) => this.close(String(tenantId), String(approvalId)));
    this.approvals.onClosed(async (tx, { tenantId, id: approvalId }) => {
      if (await tx.existsBy(SlackDecisionMessage, { tenantId, approvalId }))
        await this.addCloseJob(tx, tenantId, approvalId);
    });
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
    const text = this.rules.findObstacleInCall(review) ? null : await this.textOf(tenantId, review);
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
      if (state !== 'pending') await this.addCloseJob(tx, tenantId, approvalId);
    });
    return true;
  }

  private async textOf(tenantId: string, review: CallReview) {
    const connection = await this.callReviewContext.connection(systemPrincipal(tenantId, 'slack'), review);
    const parts = connection?.destination.map(({ label, value }) => `${label}: ${value}`) ?? [];
    return decisionTextOf({ ...review, destination: connection ? [connection.name, ...parts] : [] });
  }

  private addCloseJob(tx: Tx, tenantId: string, approvalId: string): Promise<void> {
    return this.queue.add(tx, closeJob, { tenantId, approvalId });
  }

  private async close(tenantId: string, approvalId: string): Promise<void> {
    const { messages, channels, outcome } = await this.database.tenant({ tenantId }, async (tx) => {
      const approval = await tx.findOneByOrFail(Approval, { tenantId, id: approvalId });
      const { decidedBy } = approval;
      const decider = decidedBy ? await tx.findOneBy(Member, { tenantId, id: decidedBy }) : null;
      const messages = await tx.findBy(SlackDecisionMessage, { tenantId, approvalId, closedAt: IsNull() });
      const channels = await this.channels.listInteractiveSlack(tx, tenantId);
      return { messages, channels, outcome: outcomeOf(approval, decider?.name) };
    });
    const url = `${this.config.baseUrl}/approvals/${approvalId}`;
    for (const { id, channelId, slackChannelId, ts } of messages) {
      const app = channels.find((channel) => channel.id === channelId);
      if (!app) continue;
      const body = { channel: slackChannelId, ts, ...closedMessage(outcome, url) };
      await this.slack.call(this.channels.open(app).secret, 'chat.update', body).catch((error: unknown) => {
        if (!(error instanceof DeliveryFailure && error.isPermanent)) throw error; // the job runs again
        this.log.warn({ err: error, tenantId, approvalId }, 'could not update a message in Slack');
      });
      await this.database.tenant({ tenantId }, (tx) =>
        tx.update(SlackDecisionMessage, { tenantId, id }, { closedAt: new Date() }),
      );
    }
  }
}

const closedWords: Record<ApprovalState, string> = {
  waiting: 'Waiting for an earlier step',
  pending: 'Waiting for a decision',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
  void: 'Withdrawn',
};

const outcomeOf = ({ state, tool, decidedInSlack }: Approval, deciderName?: string): string =>
  `${closedWords[state]}${deciderName ? ` by ${quoteExternalText(deciderName)}` : ''}${decidedInSlack ? ' in Slack' : ''}: ${quoteExternalText(tool)}`;
