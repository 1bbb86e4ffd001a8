import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApprovalsService } from '../approvals/approvals.service.js';
import type { Principal } from '../principal/principal.js';
import { Journal } from './journal.service.js';
import { end } from './ledger.sql.js';
import { unknownOutcome } from './outcome.js';
import type { Refusal } from './refusal.js';
import { ToolCall } from './tool-call.entity.js';

/** Ends of calls that did not come from an upstream's answer. The caller holds the call. */
@Injectable()
export class Endings {
  constructor(
    private readonly approvals: ApprovalsService,
    private readonly journal: Journal,
  ) {}

  /** What has not been sent is not to be: its approvals are void, and the same call is a new one. */
  async withdraw(
    tx: EntityManager,
    by: Principal,
    call: ToolCall,
    { code, reason }: Pick<Refusal, 'code' | 'reason'>,
  ): Promise<boolean> {
    const isDenied = await this.deny(tx, by, call, { code, reason, retryKey: null });
    if (isDenied) await this.approvals.void(tx, by, [call.id], reason);
    return isDenied;
  }

  async deny(
    tx: EntityManager,
    by: Principal,
    call: ToolCall,
    why: Pick<ToolCall, 'code' | 'reason'> & Partial<ToolCall>,
  ): Promise<boolean> {
    const { tenantId, id, state } = call;
    // it was sent before, and a denial of sending it again does not tell what became of that
    if (call.attempts > 0 && call.effect !== 'read') return this.leaveUnsettled(tx, by, call);
    const denied = { ...why, state: 'denied' as const, endedAt: new Date() };
    const { affected } = await tx.update(ToolCall, { tenantId, id, state }, denied);
    if (affected !== 1) return false;
    Object.assign(call, denied);
    await this.journal.tellDecision(tx, by, call, 'denied');
    return true;
  }

  /**
   * Whoever sent the call is gone. Of a write nobody knows what became of it. A read is run again: at once where it had
   * passed its steps, else when its caller asks again.
   */
  async giveUp(tx: EntityManager, by: Principal, call: ToolCall): Promise<boolean> {
    if (call.effect !== 'read')
      return this.lose(tx, by, call, { state: 'unsettled', code: null, reason: unknownOutcome });
    if (call.retryKey) return this.again(tx, call);
    return this.lose(tx, by, call, {
      state: 'failed',
      code: 'upstream-failed',
      reason: 'The process that ran the call is gone. It only reads: ask again.',
    });
  }

  /** A delegation that its caller could not make any more. */
  fail(tx: EntityManager, by: Principal, call: ToolCall, reason: string): Promise<boolean> {
    return this.lose(tx, by, call, { state: 'failed', code: 'upstream-failed', reason });
  }

  private async leaveUnsettled(tx: EntityManager, by: Principal, call: ToolCall): Promise<boolean> {
    const { tenantId, id, state } = call;
    const unsettled = { state: 'unsettled' as const, code: null, reason: unknownOutcome, expiresAt: null };
    const { affected } = await tx.update(ToolCall, { tenantId, id, state }, { ...unsettled, endedAt: new Date() });
    if (affected !== 1) return false;
    Object.assign(call, unsettled);
    await this.journal.tell(tx, by, call, 'unsettled');
    return true;
  }

  private async lose(
    tx: EntityManager,
    by: Principal,
    call: ToolCall,
    lost: { state: 'unsettled' | 'failed'; code: string | null; reason: string },
  ) {
    const events = this.journal.written([{ by, call, event: lost.state }]);
    if (!(await end(tx, call, { ...lost, isForeign: false, resultSealed: null, isDelivered: false }, events)))
      return false;
    Object.assign(call, lost, { isForeign: false });
    return true;
  }

  private async again(tx: EntityManager, call: ToolCall): Promise<boolean> {
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
