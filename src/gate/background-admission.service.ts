import { Injectable } from '@nestjs/common';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Principal } from '../principal/principal.js';
import { CallCompletionService } from './call-completion.service.js';
import { type AdmittedCall, CallDispatchService } from './call-dispatch.service.js';
import { CallEvaluationService } from './call-evaluation.service.js';
import { CallSettlementService } from './call-settlement.service.js';
import { findCallIn } from './call-state.js';
import { Refusal } from './refusal.js';

/** Admits stored calls that run without their caller. The policies decide again. */
@Injectable()
export class BackgroundAdmissionService {
  constructor(
    private readonly database: DatabaseService,
    private readonly approvals: ApprovalsService,
    private readonly callEvaluation: CallEvaluationService,
    private readonly callDispatch: CallDispatchService,
    private readonly callCompletion: CallCompletionService,
    private readonly callSettlement: CallSettlementService,
  ) {}

  /** An approved call that no task resumes. Null: it must not run, or not yet. */
  admitApproved(principal: Principal, callId: string): Promise<AdmittedCall | null> {
    return this.database.tenant(principal, async (tx) => {
      await this.approvals.lockCalls(tx, [callId]);
      const call = await findCallIn(tx, { tenantId: principal.tenantId, id: callId }, 'approved');
      if (!call) return null;
      try {
        const evaluation = await this.callEvaluation.reevaluate(tx, call);
        const lapse = await this.callDispatch.findLapse(tx, call, evaluation);
        if (lapse) throw lapse;
        const started = await this.callDispatch.startApproved(tx, call, evaluation, null);
        return started && { call: started, evaluation };
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (error.code === 'paused') return null; // the call stays approved and runs when the pause ends
        const isWithdrawn = await this.callCompletion.withdraw(tx, principal, call, error);
        if (isWithdrawn) await this.callSettlement.publish(tx, call);
        return null;
      }
    });
  }

  /** A delegation whose lease has expired. Null: do not poll it now, or it has ended. */
  admitDelegation(principal: Principal, callId: string): Promise<AdmittedCall | null> {
    return this.database.tenant(principal, async (tx) => {
      await this.approvals.lockCalls(tx, [callId]);
      const where = { tenantId: principal.tenantId, id: callId, isDelegation: true };
      const call = await findCallIn(tx, where, 'executing');
      if (!call || call.executingUntil > new Date()) return null;
      const isRenewed = await this.callDispatch.renewDelegation(tx, call);
      try {
        const evaluation = await this.callEvaluation.reevaluate(tx, call, { isUnderWay: true });
        return isRenewed ? { call, evaluation, wasBegun: true } : null;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (error.code === 'paused') return null;
        const failed = await this.callCompletion.fail(tx, principal, call, error.reason);
        if (failed) await this.callSettlement.publish(tx, failed);
        return null;
      }
    });
  }
}
