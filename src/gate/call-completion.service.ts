import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/tx.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import type { Principal } from '../principal/principal.js';
import { CallAuditService } from './call-audit.service.js';
import { CallNotificationsService } from './call-notifications.service.js';
import { declareUnsettled, type Denial, denyCall, endAttempt, requeueCall } from './call-moves.js';
import type { AttemptEnd, CallIn, LedgerCall } from './call-state.js';
import { endCalls } from './ledger.sql.js';
import { unknownOutcome } from './outcome.js';
import type { Refusal } from './refusal.js';

/** Ends calls without an answer of the connected system. The caller holds the lock of the call. */
@Injectable()
export class CallCompletionService {
  constructor(
    private readonly approvals: ApprovalsService,
    private readonly callAudit: CallAuditService,
    private readonly callNotifications: CallNotificationsService,
  ) {}

  /** Ends a call that was not sent. Its approvals become void, and an identical call counts as new. */
  async withdraw(
    tx: Tx,
    by: Principal,
    call: LedgerCall,
    { code, reason }: Pick<Refusal, 'code' | 'reason'>,
  ): Promise<boolean> {
    const denied = await this.deny(tx, by, call, { code, reason, retryKey: null });
    if (denied) await this.approvals.void(tx, by, [call.id], reason);
    return denied !== null;
  }

  /**
   * A call that was sent before becomes unsettled: denying its rerun does not resolve the outcome of the first attempt.
   */
  async deny(tx: Tx, by: Principal, call: LedgerCall, denial: Denial): Promise<CallIn<'denied' | 'unsettled'> | null> {
    if (call.attempts > 0 && call.effect !== 'read') {
      const unsettled = await declareUnsettled(tx, call, unknownOutcome);
      if (!unsettled) return null;
      await this.callAudit.record(tx, by, unsettled, 'unsettled');
      await this.callNotifications.publishUnsettled(tx, call.tenantId, [unsettled]);
      return unsettled;
    }
    const denied = await denyCall(tx, call, denial);
    if (denied) await this.callAudit.recordDecision(tx, by, denied, 'denied');
    return denied;
  }

  /**
   * The process that sent the call is gone. The outcome of a write is unknown. A read runs again: immediately if it was
   * approved, otherwise when its caller repeats it. Null: the process has recorded the outcome after all.
   */
  abandon(tx: Tx, by: Principal, call: CallIn<'executing'>): Promise<LedgerCall | null> {
    if (call.effect !== 'read')
      return this.endUnanswered(tx, by, call, { state: 'unsettled', code: null, reason: unknownOutcome });
    if (call.retryKey) return requeueCall(tx, call);
    return this.endUnanswered(tx, by, call, {
      state: 'failed',
      code: 'upstream-failed',
      reason: 'The process that ran the call stopped. The call only reads, so you can repeat it.',
    });
  }

  /** Fails a delegation that its caller is no longer permitted to make. */
  fail(tx: Tx, by: Principal, call: CallIn<'executing'>, reason: string): Promise<LedgerCall | null> {
    return this.endUnanswered(tx, by, call, { state: 'failed', code: 'upstream-failed', reason });
  }

  private async endUnanswered(
    tx: Tx,
    by: Principal,
    call: CallIn<'executing'>,
    outcome: UnansweredOutcome,
  ): Promise<LedgerCall | null> {
    const end: AttemptEnd = { ...outcome, isForeign: false };
    const events = this.callAudit.serialize([{ by, call, event: end.state }]);
    const ended = { ...end, resultSealed: null, isDelivered: false };
    const endedAt = (await endCalls(tx, call.tenantId, [{ call, ended }], events)).get(call.id);
    if (endedAt && end.state === 'unsettled') await this.callNotifications.publishUnsettled(tx, call.tenantId, [call]);
    return endedAt ? endAttempt(call, end, endedAt) : null;
  }
}

type UnansweredOutcome =
  { state: 'unsettled'; code: null; reason: string } | { state: 'failed'; code: string; reason: string };
