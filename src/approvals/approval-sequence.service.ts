import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Principal } from '../principal/principal.js';
import { ApprovalVisibilityService } from './approval-visibility.service.js';
import { openStates } from './approval-state.js';
import { Approval } from './approval.entity.js';
import type { SequenceStep } from './sequence-step.entity.js';

/** Lists the steps of a call, for everyone who can see one of them. */
@Injectable()
export class ApprovalSequenceService {
  constructor(
    private readonly database: DatabaseService,
    private readonly approvalVisibility: ApprovalVisibilityService,
  ) {}

  async stepsOf(principal: Principal, approval: Approval): Promise<SequenceStep[]> {
    return (await this.stepsOfEach(principal, [approval]))[0];
  }

  /** The same for each approval, in their order. */
  async stepsOfEach(principal: Principal, approvals: readonly Approval[]): Promise<SequenceStep[][]> {
    const { tenantId } = principal;
    const callIds = approvals.flatMap(({ stepCount, callId }) => (stepCount > 1 ? [callId] : []));
    if (!callIds.length) return approvals.map((approval) => [toStep(approval, true)]);
    return this.database.tenant(principal, async (tx) => {
      const order = { stepNumber: 'ASC', id: 'ASC' } as const;
      const all = await tx.find(Approval, { where: { tenantId, callId: In(callIds) }, order });
      const query = await this.approvalVisibility.query(tx, principal);
      const found = await query.andWhere('approval.callId = any (:callIds)', { callIds }).getMany();
      const visible = new Set(found.map(({ id }) => id));
      const byCall = Map.groupBy(all, ({ callId }) => callId);
      return approvals.map((approval) => {
        const ofCall = approval.stepCount > 1 ? byCall.get(approval.callId)! : [approval];
        return ofCall.filter(({ round }) => round === approval.round).map((one) => toStep(one, visible.has(one.id)));
      });
    });
  }

  /** For a void approval: the one that its call waits for now, after an edit, if the principal can see it. */
  async successorIdOf(principal: Principal, { callId, state, round }: Approval): Promise<string | null> {
    if (state !== 'void') return null;
    return this.database.tenant(principal, async (tx) => {
      const query = await this.approvalVisibility.query(tx, principal);
      const later = { callId, round, open: [...openStates] };
      const found = await query
        .andWhere('approval.callId = :callId and approval.round > :round and approval.state in (:...open)', later)
        .orderBy('approval.stepNumber')
        .limit(1)
        .getOne();
      return found?.id ?? null;
    });
  }
}

const toStep = ({ id, stepName, stepNumber, state }: Approval, isVisible: boolean): SequenceStep => ({
  approvalId: id,
  stepName,
  stepNumber,
  state,
  isVisible,
});
