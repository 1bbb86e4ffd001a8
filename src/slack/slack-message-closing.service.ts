import { Injectable, type OnModuleInit } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Member } from '../access/member.entity.js';
import { Approval, type ApprovalState } from '../approvals/approval.entity.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import type { NotificationChannel } from '../notifications/notification-channel.entity.js';
import { NotificationChannelsService } from '../notifications/notification-channels.service.js';
import { DeliveryFailure, SlackApiClient } from '../notifications/slack-api-client.service.js';
import { Config } from '../platform/config/config.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { quoteExternalText } from '../platform/text/quote-external-text.js';
import { closedMessage } from './slack-blocks.js';
import { SlackDecisionMessage } from './slack-decision-message.entity.js';
import { deleteClosedSlackMessages } from './slack.system.sql.js';

const closeJob = 'slack.close_messages';
/** Clicks on a closed message are still explained for some days. */
const retentionDays = 7;
const deleteBatchSize = 1000;
/** The newest messages of a removed app: an administrator waits for them. */
const maxClosedOnRemoval = 50;

/** Replaces the buttons of messages by the outcome, once the approval is closed. */
@Injectable()
export class SlackMessageClosingService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly config: Config,
    private readonly log: LogService,
    private readonly channels: NotificationChannelsService,
    private readonly slack: SlackApiClient,
    private readonly approvals: ApprovalsService,
  ) {}

  onModuleInit(): void {
    this.queue.handle(closeJob, ({ tenantId, approvalId }) => this.close(String(tenantId), String(approvalId)));
    this.queue.every('slack.sweep', 3600, () => this.deleteClosed());
    this.channels.onRemoval((channel) => this.closeOf(channel));
    this.approvals.onClosed(async (tx, { tenantId, id: approvalId }) => {
      if (await tx.existsBy(SlackDecisionMessage, { tenantId, approvalId }))
        await this.enqueue(tx, tenantId, approvalId);
    });
  }

  enqueue(tx: Tx, tenantId: string, approvalId: string): Promise<void> {
    return this.queue.add(tx, closeJob, { tenantId, approvalId });
  }

  private async close(tenantId: string, approvalId: string): Promise<void> {
    const { messages, channels, outcome } = await this.database.tenant({ tenantId }, async (tx) => {
      const approval = await tx.findOneByOrFail(Approval, { tenantId, id: approvalId });
      const nameOf = async (id: string | null) => id && (await tx.findOneBy(Member, { tenantId, id }))?.name;
      const outcome = outcomeOf(approval, await nameOf(approval.decidedBy), await nameOf(approval.decidedFor));
      const messages = await tx.findBy(SlackDecisionMessage, { tenantId, approvalId, closedAt: IsNull() });
      const channels = await this.channels.listInteractiveSlack(tx, tenantId);
      return { messages, channels, outcome };
    });
    for (const message of messages) {
      const { id, channelId } = message;
      const app = channels.find((channel) => channel.id === channelId);
      if (!app) continue;
      await this.replace(app, message, outcome).catch((error: unknown) => {
        if (!(error instanceof DeliveryFailure && error.isPermanent)) throw error; // the job runs again
        this.log.warn({ err: error, tenantId, approvalId }, 'could not update a message in Slack');
      });
      await this.database.tenant({ tenantId }, (tx) =>
        tx.update(SlackDecisionMessage, { tenantId, id }, { closedAt: new Date() }),
      );
    }
  }

  /** Without the token, the messages could no longer be changed. */
  private async closeOf(app: NotificationChannel): Promise<void> {
    const { tenantId, id: channelId } = app;
    const messages = await this.database.tenant({ tenantId }, (tx) =>
      tx.find(SlackDecisionMessage, {
        where: { tenantId, channelId, closedAt: IsNull() },
        order: { id: 'DESC' },
        take: maxClosedOnRemoval,
      }),
    );
    try {
      for (const message of messages) await this.replace(app, message, 'The Slack app was removed from Countersign.');
    } catch (error) {
      this.log.warn({ err: error, tenantId, channelId }, 'could not update the messages of a removed Slack app');
    }
  }

  private async replace(
    app: NotificationChannel,
    { slackChannelId, ts, approvalId }: SlackDecisionMessage,
    outcome: string,
  ): Promise<void> {
    const url = `${this.config.baseUrl}/approvals/${approvalId}`;
    const body = { channel: slackChannelId, ts, ...closedMessage(outcome, url) };
    await this.slack.call(this.channels.open(app).secret, 'chat.update', body);
  }

  async deleteClosed(): Promise<void> {
    const deleteBatch = () =>
      this.database.systemPool.execute(deleteClosedSlackMessages, [retentionDays, deleteBatchSize]);
    while ((await deleteBatch()) === deleteBatchSize);
  }
}

const closedWords: Record<ApprovalState, string> = {
  waiting: 'Waiting for an earlier step',
  pending: 'Waiting for a decision',
  approved: 'Approved',
  denied: 'Denied',
  expired: 'Expired',
  void: 'Voided',
};

function outcomeOf(
  { state, tool, overriddenBy, decidedInSlack }: Approval,
  deciderName?: string | null,
  substitutedName?: string | null,
): string {
  const by = deciderName ? ` by ${quoteExternalText(deciderName)}` : '';
  const instead = substitutedName ? ` for ${quoteExternalText(substitutedName)}` : '';
  const outcome = overriddenBy ? 'Overridden with break-glass rights' : closedWords[state];
  return `${outcome}${by}${instead}${decidedInSlack ? ' in Slack' : ''}: ${quoteExternalText(tool)}`;
}
