import { Injectable, type OnModuleInit } from '@nestjs/common';
import { In } from 'typeorm';
import { Member } from '../access/member.entity.js';
import {
  type NotificationContent,
  NotificationSourceRegistry,
} from '../notifications/notification-source-registry.service.js';
import type { Tx } from '../platform/database/tx.js';
import { quoteExternalText } from '../platform/text/quote-external-text.js';
import { ApprovalEligibilityService, undecided } from './approval-eligibility.service.js';
import { ApprovalLinksService } from './approval-links.service.js';
import { Approval, type ApprovalState } from './approval.entity.js';

const reminderKind = 'approval.reminder';
/** An approval with a shorter time reminds after three quarters of it. */
const reminderLeadMs = 60 * 60 * 1000;

/** Explains approvals in notifications: the tool and who asks, never the arguments. */
@Injectable()
export class ApprovalNotificationsService implements OnModuleInit {
  constructor(
    private readonly sources: NotificationSourceRegistry,
    private readonly approvalEligibility: ApprovalEligibilityService,
    private readonly approvalLinks: ApprovalLinksService,
  ) {}

  onModuleInit(): void {
    this.sources.register(
      ['approval.requested', reminderKind, 'approval.decided', 'approval.expired'],
      async (tx, tenantId, eventKind, { approvalId }) => {
        const approval = await tx.findOneBy(Approval, { tenantId, id: String(approvalId) });
        if (!approval) return null;
        if (eventKind === 'approval.decided' || eventKind === 'approval.expired')
          return this.describeClosed(tx, approval);
        return this.describePending(tx, approval, eventKind === reminderKind);
      },
    );
  }

  private async describePending(tx: Tx, approval: Approval, isReminder: boolean): Promise<NotificationContent | null> {
    const { state, createdAt, expiresAt } = approval;
    if (state !== 'pending' || expiresAt <= new Date()) return null;
    const totalMs = expiresAt.getTime() - createdAt.getTime();
    const remindAt = new Date(expiresAt.getTime() - Math.min(reminderLeadMs, totalMs / 4));
    const asker = await requesterOf(tx, approval);
    const tool = quoteExternalText(approval.tool);
    return {
      ...commonParts(approval),
      pathFor: (recipient) => this.approvalLinks.pathOf(approval, recipient),
      approvalId: approval.id,
      kind: isReminder ? 'approval_reminder' : 'approval_requested',
      title: isReminder ? `An approval expires soon: ${tool} for ${asker}` : `Approval requested: ${tool} for ${asker}`,
      facts: [
        { label: 'Step', value: quoteExternalText(approval.stepName) },
        { label: 'Expires', value: `${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC` },
      ],
      recipients: undecided(approval, await this.approvalEligibility.deciders(tx, approval)),
      reminder: isReminder ? undefined : { at: remindAt, eventKind: reminderKind },
    };
  }

  /** To the member who is responsible for the call, unless they decided themselves. */
  private async describeClosed(tx: Tx, approval: Approval): Promise<NotificationContent | null> {
    const { state, tool, responsibleId, decidedBy, tenantId } = approval;
    if (state === 'pending' || !responsibleId || responsibleId === decidedBy) return null;
    const decider = decidedBy ? await tx.findOneBy(Member, { tenantId, id: decidedBy }) : null;
    return {
      ...commonParts(approval),
      kind: 'approval_closed',
      title: `Approval ${closedWords[state]}: ${quoteExternalText(tool)}`,
      facts: [
        { label: 'Step', value: quoteExternalText(approval.stepName) },
        ...(decider ? [{ label: 'Decided by', value: quoteExternalText(decider.name) }] : []),
      ],
      recipients: [responsibleId],
    };
  }
}

const closedWords: Record<Exclude<ApprovalState, 'pending'>, string> = {
  approved: 'granted',
  denied: 'denied',
  expired: 'expired',
  void: 'withdrawn',
};

const commonParts = ({ id, stepName }: Approval) => ({ path: `/approvals/${id}`, stepName });

async function requesterOf(tx: Tx, { tenantId, responsibleId, requesters, byAgent }: Approval): Promise<string> {
  const ids = responsibleId ? [responsibleId] : requesters;
  const [member] = await tx.findBy(Member, { tenantId, id: In(ids) });
  if (!member) return byAgent ? 'an agent' : 'a member';
  const name = quoteExternalText(member.name);
  return byAgent ? `an agent of ${name}` : name;
}
