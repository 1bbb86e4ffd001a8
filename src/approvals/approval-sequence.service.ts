import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { Batcher } from '../platform/database/batcher.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { Approval } from './approval.entity.js';
import type { SequenceStep } from './sequence-step.entity.js';

/** Lists the steps of a call, for everyone who can see one of them. */
@Injectable()
export class ApprovalSequenceService {
  private readonly approvalBatcher = new Batcher<{ tenantId: string; callId: string }, Approval[]>((tenantId, keys) =>
    this.database.tenant({ tenantId }, async (tx) => {
      const where = { tenantId, callId: In(keys.map(({ callId }) => callId)) };
      const found = await tx.find(Approval, { where, order: { stepNumber: 'ASC', id: 'ASC' } });
      const byCall = Map.groupBy(found, ({ callId }) => callId);
      return keys.map(({ callId }) => byCall.get(callId) ?? []);
    }),
  );

  constructor(private readonly database: DatabaseService) {}

  async stepsOf(approval: Approval): Promise<SequenceStep[]> {
    const { tenantId, callId, round, stepCount } = approval;
    const steps = stepCount === 1 ? [approval] : await this.approvalBatcher.submit({ tenantId, callId });
    return steps
      .filter((one) => one.round === round)
      .map(({ id, stepName, stepNumber, state }) => ({ approvalId: id, stepName, stepNumber, state }));
  }
}
