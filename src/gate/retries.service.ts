import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { Seal } from '../platform/crypto/seal.service.js';
import { Endings } from './endings.service.js';
import { Journal } from './journal.service.js';
import { type Case, whyElsewhere, whyOther } from './judgement.service.js';
import { answerTo, deliver } from './ledger.sql.js';
import { awaiting, type CallOutcome, outcomeOf } from './outcome.js';
import { Refusal } from './refusal.js';
import { openResult } from './sealed.js';
import { type Run, Starts } from './starts.service.js';
import { ToolCall } from './tool-call.entity.js';

export type Admitted = { outcome: CallOutcome } | { run: Run };

/** Of this age the outcome of a call is still given to the same call; later that is a new one. */
const replayMs = 10 * 60 * 1000;

/** The same call, asked for again. Every answer of null means: what was does not count any more, this is a new call. */
@Injectable()
export class Retries {
  constructor(
    private readonly approvals: ApprovalsService,
    private readonly starts: Starts,
    private readonly endings: Endings,
    private readonly journal: Journal,
    private readonly seal: Seal,
  ) {}

  /** Finds the same call, and holds it. `sentId`: it is known which one, by what the turn of the task calls it. */
  async find(tx: EntityManager, call: ToolCall, sentId: string | null): Promise<ToolCall | null> {
    const { tenantId, retryKey } = call;
    const which = sentId ? { tenantId, id: sentId } : retryKey && { tenantId, retryKey };
    if (!which) return null;
    const found = await tx.findOne(ToolCall, { where: which, select: { tenantId: true, id: true } });
    if (!found) return null;
    await this.approvals.hold(tx, [found.id]);
    const same = await tx.findOneBy(ToolCall, { ...which, id: found.id });
    if (same) await answerTo(tx, same, call.callRefs);
    return same;
  }

  /** `isOwn`: not only alike, but the very call of the task's turn, which is never made a second time. */
  async resume(
    tx: EntityManager,
    same: ToolCall,
    matter: Case,
    { leaseEpoch, isOwn }: { leaseEpoch: number | null; isOwn: boolean },
  ): Promise<Admitted | null> {
    switch (same.state) {
      case 'awaiting_approval':
        return this.wait(tx, same, matter);
      case 'approved':
        return this.runApproved(tx, same, matter, leaseEpoch);
      case 'executing':
        return this.takeOver(tx, same, matter, leaseEpoch);
      case 'unsettled':
        return { outcome: outcomeOf(same, null, true) };
      default:
        return this.replay(tx, same, matter, isOwn && same.state !== 'denied');
    }
  }

  private async wait(tx: EntityManager, same: ToolCall, matter: Case): Promise<Admitted | null> {
    const other = whyOther(same, matter);
    if (!other)
      return {
        outcome: awaiting(same, await this.approvals.ofCall(tx, same.tenantId, same.id), matter.decision.reason),
      };
    await this.endings.withdraw(tx, matter.principal, same, { code: 'approval-denied', reason: other });
    return null;
  }

  private async runApproved(
    tx: EntityManager,
    same: ToolCall,
    matter: Case,
    leaseEpoch: number | null,
  ): Promise<Admitted | null> {
    const lapse = await this.starts.whyLapsed(tx, same, matter);
    if (lapse) {
      await this.endings.withdraw(tx, matter.principal, same, lapse);
      return null;
    }
    const isStarted = await this.starts.approved(tx, same, matter, leaseEpoch);
    return isStarted
      ? { run: { call: same, matter } }
      : { outcome: outcomeOf(Object.assign(same, { state: 'executing' as const }), null, true) };
  }

  /** Whoever sent it is at work, or gone: its time ran out, or its task belongs to another process by now. */
  private async takeOver(
    tx: EntityManager,
    same: ToolCall,
    matter: Case,
    leaseEpoch: number | null,
  ): Promise<Admitted | null> {
    if (same.isDelegation) return this.lookAgain(tx, same, matter);
    const isTaken = leaseEpoch !== null && same.leaseEpoch !== null && same.leaseEpoch < leaseEpoch;
    if (!isTaken && same.executingUntil! > new Date()) return { outcome: outcomeOf(same, null, true) };
    await this.endings.giveUp(tx, matter.principal, same);
    if (same.effect === 'read') return this.runApproved(tx, same, matter, leaseEpoch);
    return { outcome: outcomeOf(same, null, false) };
  }

  private async lookAgain(tx: EntityManager, same: ToolCall, matter: Case): Promise<Admitted> {
    return (await this.starts.lookAgain(tx, same))
      ? { run: { call: same, matter, wasBegun: true } }
      : { outcome: outcomeOf(same, null, true) };
  }

  private async replay(tx: EntityManager, same: ToolCall, matter: Case, wasSent: boolean): Promise<Admitted | null> {
    const { deliveredAt } = same;
    if (!wasSent && same.connectionId !== matter.tool.connectionId) return this.release(tx, same); // another destination under the same name
    const isRefused = same.state === 'denied' && !hasChanged(same, matter);
    if (!deliveredAt) {
      await deliver(tx, same);
      return { outcome: outcomeOf(same, openResult(this.seal, same), false) };
    }
    const isRecent = Date.now() - deliveredAt.getTime() < replayMs;
    if (wasSent || (isRecent && (same.state !== 'denied' || isRefused))) {
      await this.journal.tell(tx, matter.principal, same, 'replayed');
      return { outcome: outcomeOf(same, openResult(this.seal, same), true) };
    }
    if (isRefused && same.code === 'approval-denied')
      throw new Refusal('approval-denied', `${same.reason} The same call stays refused until something has changed.`);
    return this.release(tx, same);
  }

  private async release(tx: EntityManager, { tenantId, id }: ToolCall): Promise<null> {
    await tx.update(ToolCall, { tenantId, id }, { retryKey: null });
    return null;
  }
}

/** Since the call was decided on: its policies or its connection. Tool and arguments are the same by its key. */
const hasChanged = (call: ToolCall, { tool, decision }: Case): boolean =>
  call.policyRevision !== decision.revision || whyElsewhere(call, tool) !== null;
