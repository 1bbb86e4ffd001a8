import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/tx.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import type { Principal } from '../principal/principal.js';
import { CallAuditService } from './call-audit.service.js';
import { endCall } from './ledger.sql.js';
import { unknownOutcome } from './outcome.js';
import type { Refusal } from './refusal.js';
import { ToolCall } from './tool-call.entity.js';

/** Ends calls without an answer of the connected system. The caller holds the lock of the call. */
@Injectable()
export class CallCompletionService {
  constructor(
    private readonly approvals: ApprovalsService,
    private readonly callAudit: CallAuditService,
  ) {}

  /** Ends a call that was not sent. Its approvals become void, and an identical call counts as new. */
  async withdraw(
    tx: Tx,
    by: Principal,
    call: ToolCall,
    { code, reason }: Pick<Refusal, 'code' | 'reason'>,
  ): Promise<boolean> {
    const isDenied = await this.deny(tx, by, call, { code, reason, retryKey: null });
    if (isDenied) await this.approvals.void(tx, by, [call.id], reason);
    return isDenied;
  }

  async deny(
    tx: Tx,
    by: Principal,
    call: ToolCall,
    denial: Pick<ToolCall, 'code' | 'reason'> & Partial<ToolCall>,
  ): Promise<boolean> {
    const { tenantId, id, state } = call;
    // it was sent before: a denial of the rerun does not resolve the outcome of the first attempt
    if (call.attempts > 0 && call.effect !== 'read') return this.markUnsettled(tx, by, call);
    const denied = { ...denial, state: 'denied' as const, endedAt: new Date() };
    const { affected } = await tx.update(ToolCall, { tenantId, id, state }, denied);
    if (affected !== 1) return false;
    Object.assign(call, denied);
    await this.callAudit.recordDecision(tx, by, call, 'denied');
    return true;
  }

  /**
   * The process that sent the call is gone. The outcome of a write is unknown. A read runs again: immediately if it was
   * approved, otherwise when its caller repeats it.
   */
  async abandon(tx: Tx, by: Principal, call: ToolCall): Promise<boolean> {
    if (call.effect !== 'read')
      return this.completeLost(tx, by, call, { state: 'unsettled', code: null, reason: unknownOutcome });
    if (call.retryKey) return this.requeue(tx, call);
    return this.completeLost(tx, by, call, {
      state: 'failed',
      code: 'upstream-failed',
      reason: 'The process that ran the call stopped. The call only reads, so you can repeat it.',
    });
  }

  /** Fails a delegation that its caller is no longer permitted to make. */
  fail(tx: Tx, by: Principal, call: ToolCall, reason: string): Promise<boolean> {
    return this.completeLost(tx, by, call, { state: 'failed', code: 'upstream-failed', reason });
  }

  private async markUnsettled(tx: Tx, by: Principal, call: ToolCall): Promise<boolean> {
    const { tenantId, id, state } = call;
    const unsettled = { state: 'unsettled' as const, code: null, reason: unknownOutcome, expiresAt: null };
    const { affected } = await tx.update(ToolCall, { tenantId, id, state }, { ...unsettled, endedAt: new Date() });
    if (affected !== 1) return false;
    Object.assign(call, unsettled);
    await this.callAudit.record(tx, by, call, 'unsettled');
    return true;
  }

  private async completeLost(
    tx: Tx,
    by: Principal,
    call: ToolCall,
    outcome: { state: 'unsettled' | 'failed'; code: string | null; reason: string },
  ) {
    const events = this.callAudit.serialize([{ by, call, event: outcome.state }]);
    if (!(await endCall(tx, call, { ...outcome, isForeign: false, resultSealed: null, isDelivered: false }, events)))
      return false;
    Object.assign(call, outcome, { isForeign: false });
    return true;
  }

  private async requeue(tx: Tx, call: ToolCall): Promise<boolean> {
    const { tenantId, id, attempts } = call;
    const { affected } = await tx.update(
      ToolCall,
      { tenantId, id, attempts, state: 'executing' },
      { state: 'approved', executingUntil: null },
    );
    if (affected === 1) call.state = 'approved';
    return affected === 1;
  }
}
