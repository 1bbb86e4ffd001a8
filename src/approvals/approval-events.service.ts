import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import type { MessageRecipient } from '../notifications/notification-source-registry.service.js';
import type { Tx } from '../platform/database/tx.js';
import { OutboxService } from '../platform/events/outbox.service.js';
import type { Principal } from '../principal/principal.js';
import type { Approval } from './approval.entity.js';

/** `voted`: an approval that does not complete the quorum. */
export type ApprovalEvent = 'requested' | 'voted' | 'approved' | 'denied' | 'expired' | 'voided';

/** What external consumers learn. They wait for the decision, not for each vote. */
const publishedEvents: Partial<Record<ApprovalEvent, string>> = {
  requested: 'approval.requested',
  approved: 'approval.decided',
  denied: 'approval.decided',
  voided: 'approval.decided',
  expired: 'approval.expired',
};

/** Records and publishes what happens to approvals, in the transaction of the change. */
@Injectable()
export class ApprovalEventsService {
  constructor(
    private readonly audit: AuditService,
    private readonly outbox: OutboxService,
  ) {}

  /** `link`: the notification whose link opened the page of the decision. */
  async record(
    tx: Tx,
    principal: Principal,
    approval: Approval,
    event: ApprovalEvent,
    link?: MessageRecipient,
  ): Promise<void> {
    const { tenantId, id, callId, taskId, tool, stepName, tier, requesters, selfApproved, reason } = approval;
    const { quorum, approvedBy, decidedInSlack } = approval;
    await this.audit.record(tx, principal, {
      kind: `approval.${event}`,
      subject: { type: 'approval', id, name: tool },
      detail: {
        callId,
        taskId,
        tool,
        step: stepName,
        tier,
        requesters,
        notFourEyes: selfApproved,
        ...(quorum > 1 ? { quorum, approvedBy } : {}),
        ...(reason ? { reason } : {}),
        ...(decidedInSlack ? { decidedIn: 'slack' } : {}),
        ...(link ? { openedFrom: `${link.medium} link`, messageId: link.messageId } : {}),
      },
    });
    const published = publishedEvents[event];
    if (published) await this.outbox.write(tx, tenantId, published, { approvalId: id, callId, taskId });
  }
}
