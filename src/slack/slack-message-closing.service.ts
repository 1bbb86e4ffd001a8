import { Injectable, type OnModuleInit } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { Member } from '../access/member.entity.js';
import { Approval, type ApprovalState } from '../approvals/approval.entity.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
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

const closeJob = 'slack.close_messages';

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
