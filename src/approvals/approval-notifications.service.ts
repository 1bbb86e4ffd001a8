import { Injectable, type OnModuleInit } from '@nestjs/common';
import { In } from 'typeorm';
import { Member } from '../access/member.entity.js';
import {
  type NotificationContent,
  NotificationSourceRegistry,
} from '../notifications/notification-source-registry.service.js';
import type { Tx } from '../platform/database/tx.js';
import { quoteExternalText } from '../platform/text/quote-external-text.js';
import { ApprovalEligibilityService } from './approval-eligibility.service.js';
import { ApprovalLinksService } from './approval-links.service.js';
import { type ClosedState, isClosed, membersWhoCanApprove } from './approval-state.js';
import { Approval } from './approval.entity.js';
import { substitutionStarted } from './substitute-notification-scheduler.service.js';
import { Substitution } from './substitution.entity.js';

const reminderKind = 'approval.reminder';
/** An approval with a shorter time reminds after three quarters of it. */
const reminderLeadMs = 60 * 60 * 1000;

/** Explains approvals in notifications: the tool and the requester, never the arguments. */
@Injectable()
export class ApprovalNotificationsService implements OnModuleInit {
  constructor(
    private readonly sources: NotificationSourceRegistry,
    private readonly approvalEligibility: ApprovalEligibilityService,
    private readonly approvalLinks: ApprovalLinksService,
  ) {}

  onModuleInit(): void {
    this.sources.register(
      [
        'approval.requested',
        'approval.escalated',
        substitutionStarted,
        reminderKind,
        'approval.decided',
        'approval.expired',
      ],
      async (tx, tenantId, eventKind, { approvalId, substitutionId }) => {
        const approval = await tx.findOneBy(Approval, { tenantId, id: String(approvalId) });
        if (!approval) return null;
        if (eventKind === 'approval.decided' || eventKind === 'approval.expired')
          return this.describeClosed(tx, approval);
        const substitution =
          eventKind === substitutionStarted
            ? await tx.findOneBy(Substitution, { tenantId, id: String(substitutionId) })
            : null;
        return this.describePending(tx, approval, eventKind, substitution);
      },
    );
  }

  /** `substitution`: it began, so only its substitute is notified. */
  private async describePending(
    tx: Tx,
    approval: Approval,
    eventKind: string,
    substitution: Substitution | null,
  ): Promise<NotificationContent | null> {
    const isReminder = eventKind === reminderKind;
    const isEscalation = eventKind === 'approval.escalated';
    const { state, openedAt, expiresAt } = approval;
    if (state !== 'pending' || !openedAt || expiresAt <= new Date()) return null;
    const totalMs = expiresAt.getTime() - openedAt.getTime();
    const remindAt = new Date(expiresAt.getTime() - Math.min(reminderLeadMs, totalMs / 4));
    const voters = await this.approvalEligibility.voters(tx, approval);
    const able = membersWhoCanApprove(approval, voters);
    // the others were notified when the step opened
    const added = substitution
      ? [substitution.substituteId]
      : voters.flatMap((voter) => (approval.deciders.includes(voter.approverId) ? [] : [voter.memberId]));
    const isForAdded = isEscalation || substitution !== null;
    const asker = await requesterOf(tx, approval);
    const tool = quoteExternalText(approval.tool);
    return {
      ...commonParts(approval),
      pathFor: (recipient) => this.approvalLinks.pathOf(approval, recipient),
      approvalId: approval.id,
      kind: isReminder ? 'approval_reminder' : 'approval_requested',
      title: isReminder ? `An approval expires soon: ${tool} for ${asker}` : `Approval requested: ${tool} for ${asker}`,
      facts: [
        { label: 'Step', value: stepText(approval) },
        ...(isEscalation ? [{ label: 'Escalated', value: 'no one has decided yet' }] : []),
        { label: 'Expires', value: `${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC` },
      ],
      isForMembersOnly: substitution !== null,
      recipients: isForAdded ? able.filter((id) => added.includes(id)) : able,
      reminder: isReminder || isForAdded ? undefined : { at: remindAt, eventKind: reminderKind },
    };
  }

  /** To the member who is responsible for the call, unless they decided themselves. */
  private async describeClosed(tx: Tx, approval: Approval): Promise<NotificationContent | null> {
    const { state, tool, responsibleId, decidedBy, tenantId } = approval;
    if (!isClosed(state) || !responsibleId || responsibleId === decidedBy) return null;
    const decider = decidedBy ? await tx.findOneBy(Member, { tenantId, id: decidedBy }) : null;
    return {
      ...commonParts(approval),
      kind: 'approval_closed',
      title: `Approval ${approval.overriddenBy ? 'overridden' : closedWords[state]}: ${quoteExternalText(tool)}`,
      facts: [
        { label: 'Step', value: stepText(approval) },
        ...(decider ? [{ label: 'Decided by', value: quoteExternalText(decider.name) }] : []),
      ],
      recipients: [responsibleId],
    };
  }
}

const closedWords: Record<ClosedState, string> = {
  approved: 'granted',
  denied: 'denied',
  expired: 'expired',
  void: 'voided',
};

/** '"review"', or '"review" (1 of 2)'. */
const stepText = ({ stepName, stepNumber, stepCount }: Approval): string =>
  `${quoteExternalText(stepName)}${stepCount > 1 ? ` (${stepNumber} of ${stepCount})` : ''}`;

const commonParts = ({ id, stepName }: Approval) => ({ path: `/approvals/${id}`, stepName });

async function requesterOf(tx: Tx, { tenantId, responsibleId, requesters, byAgent }: Approval): Promise<string> {
  const ids = responsibleId ? [responsibleId] : requesters;
  const [member] = await tx.findBy(Member, { tenantId, id: In(ids) });
  if (!member) return byAgent ? 'an agent' : 'a member';
  const name = quoteExternalText(member.name);
  return byAgent ? `an agent of ${name}` : name;
}
