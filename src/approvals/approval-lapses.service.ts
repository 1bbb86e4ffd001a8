import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/tx.js';
import { ApprovalEligibilityService } from './approval-eligibility.service.js';
import { listLastRound } from './approval-rounds.js';
import type { Approval } from './approval.entity.js';
import { OverrideEligibilityService } from './override-eligibility.service.js';

/** Determines whether approved steps of a call still count. Changes nothing. */
@Injectable()
export class ApprovalLapsesService {
  constructor(
    private readonly approvalEligibility: ApprovalEligibilityService,
    private readonly overrideEligibility: OverrideEligibilityService,
  ) {}

  /**
   * Why the approvals of a call are no longer sufficient, or null. Each step must be approved and unchanged, and its
   * approver must still be eligible.
   */
  async findOfCall(tx: Tx, tenantId: string, callId: string, stepNames: readonly string[]): Promise<string | null> {
    await this.approvalEligibility.blockAccessChanges(tx, tenantId);
    const approvals = await listLastRound(tx, tenantId, callId);
    for (const name of stepNames) {
      const approval = approvals.find((candidate) => candidate.stepName === name);
      if (approval?.state !== 'approved') return `The approval step "${name}" was not approved.`;
      const lapse = await this.findOfStep(tx, approval);
      if (lapse) return lapse;
    }
    return null;
  }

  /** Why an approved step before this one no longer counts, or null. */
  async findOfEarlierStep(tx: Tx, { tenantId, callId, stepNumber }: Approval): Promise<string | null> {
    if (stepNumber === 1) return null;
    for (const earlier of await listLastRound(tx, tenantId, callId)) {
      const lapse = earlier.stepNumber < stepNumber && (await this.findOfStep(tx, earlier));
      if (lapse) return lapse;
    }
    return null;
  }

  /** Why an approved step no longer counts, or null. */
  findOfStep(tx: Tx, approval: Approval): Promise<string | null> {
    const source = approval.overriddenBy === null ? this.approvalEligibility : this.overrideEligibility;
    return source.findLapse(tx, approval);
  }
}
