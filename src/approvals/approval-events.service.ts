import { Injectable } from '@nestjs/common';
import { type AuditRecord, AuditService } from '../audit/audit.service.js';
import type { MessageRecipient } from '../notifications/notification-source-registry.service.js';
import type { Tx } from '../platform/database/tx.js';
import { OutboxService } from '../platform/events/outbox.service.js';
import type { Principal } from '../principal/principal.js';
import type { PasskeyUse } from './approval-passkeys.service.js';
import type { ApprovalEvent } from './approval-state.js';
import type { Approval } from './approval.entity.js';
import { upsertApproverDecision } from './approver-activity.sql.js';

type RecordedEvent = 'requested' | ApprovalEvent;

/** What external consumers learn. They wait for the decision, not for each vote. A later step is requested when it opens. */
const publishedEvents: Partial<Record<RecordedEvent, string>> = {
  requested: 'approval.requested',
  opened: 'approval.requested',
  escalated: 'approval.escalated',
  approved: 'approval.decided',
  overridden: 'approval.decided',
  denied: 'approval.decided',
  voided: 'approval.decided',
  expired: 'approval.expired',
};

interface DecisionFacts {
  /** The notification whose link opened the page of the decision. */
  link?: MessageRecipient;
  /** Signed the decision. */
  passkey?: PasskeyUse;
  /** Of a member with break-glass rights. */
  overrideReason?: string;
}

function auditRecordOf(
  approval: Approval,
  event: RecordedEvent,
  { link, passkey, overrideReason }: DecisionFacts = {},
): AuditRecord {
  const { id, callId, taskId, tool, stepName, tier, requesters, selfApproved, reason } = approval;
  const { quorum, approvedBy, stepNumber, stepCount, escalationGroupId } = approval;
  const { approvedFor, decidedFor, decidedInSlack } = approval;
  const hasSubstitute = approvedFor.some((id, nth) => id !== approvedBy[nth]);
  return {
    kind: `approval.${event}`,
    subject: { type: 'approval', id, name: tool },
    detail: {
      callId,
      taskId,
      tool,
      step: stepName,
      tier,
      requesters,
      ...(stepCount > 1 ? { stepNumber, stepCount } : {}),
      notFourEyes: selfApproved,
      ...(quorum > 1 ? { quorum, approvedBy } : {}),
      ...(hasSubstitute ? { approvedBy, approvedFor } : {}),
      ...(decidedFor ? { decidedFor } : {}),
      ...(event === 'escalated' ? { escalationGroupId } : {}),
      ...(reason ? { reason } : {}),
      ...(passkey ? { passkey } : {}),
      ...(overrideReason ? { overrideReason } : {}),
      ...(decidedInSlack ? { decidedIn: 'slack' } : {}),
      ...(link ? { openedFrom: `${link.medium} link`, messageId: link.messageId } : {}),
    },
  };
}

/** Records and publishes what happens to approvals, in the transaction of the change. */
@Injectable()
export class ApprovalEventsService {
  constructor(
    private readonly audit: AuditService,
    private readonly outbox: OutboxService,
  ) {}

  async record(
    tx: Tx,
    principal: Principal,
    approval: Approval,
    event: RecordedEvent,
    facts: DecisionFacts = {},
  ): Promise<void> {
    await this.audit.record(tx, principal, auditRecordOf(approval, event, facts));
    await this.recordDecision(tx, principal, approval, event);
    await this.publish(tx, [approval], event);
  }

  /** Records all steps of one call. The number of statements does not depend on the number of steps. */
  async recordRequested(tx: Tx, principal: Principal, approvals: readonly Approval[]): Promise<void> {
    const entries = approvals.map((approval) => ({ principal, record: auditRecordOf(approval, 'requested') }));
    await this.audit.recordAll(tx, entries);
    await this.publish(tx, approvals, 'requested');
  }

  private async publish(tx: Tx, approvals: readonly Approval[], event: RecordedEvent): Promise<void> {
    const kind = publishedEvents[event];
    // no one was notified of a step that never opened
    const opened = approvals.filter(({ openedAt }) => openedAt);
    const payloads = opened.map(({ id, callId, taskId }) => ({ approvalId: id, callId, taskId }));
    if (kind) await this.outbox.writeAll(tx, approvals[0].tenantId, kind, payloads);
  }

  /** For reports: each vote with its time, and whether it closed the step. */
  private async recordDecision(
    tx: Tx,
    { tenantId, memberId, surface }: Principal,
    { id, decidedAt }: Approval,
    event: RecordedEvent,
  ): Promise<void> {
    if (!memberId || (event !== 'voted' && event !== 'approved' && event !== 'denied')) return;
    await tx.execute(upsertApproverDecision, [
      tenantId,
      id,
      memberId,
      decidedAt ?? new Date(),
      event === 'denied' ? 'deny' : 'approve',
      surface === 'slack' ? 'slack' : 'console',
      event !== 'voted',
    ]);
  }
}
