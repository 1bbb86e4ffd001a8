import { Injectable } from '@nestjs/common';
import { requireSession } from '../access/sessions.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { ApprovalCandidatesService } from './approval-candidates.service.js';
import { ApprovalEligibilityService } from './approval-eligibility.service.js';
import { transition } from './approval-state.js';
import { ApprovalVisibilityService } from './approval-visibility.service.js';
import type { Approval } from './approval.entity.js';
import { lockCall } from './approvals.sql.js';

/** Checks that a member can decide on an approval now, and says why not. */
@Injectable()
export class ApprovalDecidersService {
  constructor(
    private readonly approvalVisibility: ApprovalVisibilityService,
    private readonly approvalEligibility: ApprovalEligibilityService,
    private readonly approvalCandidates: ApprovalCandidatesService,
  ) {}

  /** The open approval under the lock of its call, for a member who can decide on it. Throws like a decision. */
  async lock(tx: Tx, principal: Principal, id: string): Promise<Approval> {
    const { memberId } = requireSession(principal);
    const { callId } = await this.approvalVisibility.get(tx, principal, id);
    await tx.execute(lockCall, [callId]);
    const approval = await this.approvalVisibility.get(tx, principal, id);
    await this.approvalEligibility.blockAccessChanges(tx, principal.tenantId);
    const voters = await this.approvalEligibility.voters(tx, approval);
    const denied = transition(approval, { kind: 'deny', memberId, voters, reason: '' }, new Date());
    if ('refusal' in denied) throw await this.approvalCandidates.toProblem(tx, approval, memberId, denied.refusal);
    return approval;
  }
}
