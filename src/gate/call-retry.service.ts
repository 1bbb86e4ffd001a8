import { Injectable } from '@nestjs/common';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { SealService } from '../platform/crypto/seal.service.js';
import type { Tx } from '../platform/database/tx.js';
import { type CallIn, findCall, isCallIn, type LedgerCall } from './call-state.js';
import { CallCompletionService } from './call-completion.service.js';
import { CallAuditService } from './call-audit.service.js';
import {
  CallEvaluationService,
  type EvaluationContext,
  findConnectionChangeReason,
  findChangeReason,
} from './call-evaluation.service.js';
import { CallVersionsService } from './call-versions.service.js';
import { addCallRefs, markDelivered } from './ledger.sql.js';
import { awaitingOutcome, executingOutcome, toCallOutcome } from './outcome.js';
import { Refusal } from './refusal.js';
import { openResult } from './call-sealing.js';
import { type AdmissionResult, CallDispatchService } from './call-dispatch.service.js';
import { ToolCall } from './tool-call.entity.js';

/** Within this time an identical call receives the recorded outcome. After it, the call counts as new. */
const replayWindowMs = 10 * 60 * 1000;

/** Resumes an identical earlier call. Null always means: the earlier call no longer counts, and this is a new call. */
@Injectable()
export class CallRetryService {
  constructor(
    private readonly approvals: ApprovalsService,
    private readonly callDispatch: CallDispatchService,
    private readonly callEvaluation: CallEvaluationService,
    private readonly callVersions: CallVersionsService,
    private readonly callCompletion: CallCompletionService,
    private readonly callAudit: CallAuditService,
    private readonly seal: SealService,
  ) {}

  /** Finds and locks the earlier call. `sentId`: its id, if the task's turn identifies it. */
  async find(tx: Tx, call: ToolCall, sentId: string | null): Promise<LedgerCall | null> {
    const { tenantId, retryKey } = call;
    const where = sentId ? { tenantId, id: sentId } : retryKey && { tenantId, retryKey };
    if (!where) return null;
    const found = await tx.findOne(ToolCall, { where, select: { tenantId: true, id: true } });
    if (!found) return null;
    await this.approvals.lockCalls(tx, [found.id]);
    const previous = await findCall(tx, { ...where, id: found.id });
    if (previous) await addCallRefs(tx, previous, call.callRefs);
    return previous;
  }

  /** `isOwn`: the call of this very turn, not merely an identical one. It is never made a second time. */
  async resume(
    tx: Tx,
    previous: LedgerCall,
    evaluation: EvaluationContext,
    attempt: { leaseEpoch: number | null; isOwn: boolean },
  ): Promise<AdmissionResult | null> {
    const current = previous.editedBy.length ? await this.evaluateEdited(tx, previous, evaluation) : evaluation;
    if (!current) return null;
    const resumed = await this.resumeWith(tx, previous, current, attempt);
    if (!resumed || 'run' in resumed) return resumed;
    return { outcome: await this.callVersions.annotate(tx, previous, resumed.outcome) };
  }

  /** The caller repeats what it requested, but the edited arguments run. Null: they can no longer run. */
  private async evaluateEdited(
    tx: Tx,
    previous: LedgerCall,
    requested: EvaluationContext,
  ): Promise<EvaluationContext | null> {
    const isUnderWay = previous.state === 'executing';
    const canBeSent = isUnderWay
      ? previous.isDelegation || previous.effect === 'read'
      : isCallIn(previous, 'awaiting_approval', 'approved');
    if (!canBeSent) return requested;
    try {
      return await this.callEvaluation.reevaluate(tx, previous, { isUnderWay });
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === 'paused' || isUnderWay) throw error;
      await this.callCompletion.withdraw(tx, requested.principal, previous, error);
      return null;
    }
  }

  private async resumeWith(
    tx: Tx,
    previous: LedgerCall,
    evaluation: EvaluationContext,
    { leaseEpoch, isOwn }: { leaseEpoch: number | null; isOwn: boolean },
  ): Promise<AdmissionResult | null> {
    switch (previous.state) {
      case 'awaiting_approval':
        return this.resumePending(tx, previous, evaluation);
      case 'approved':
        return this.runApproved(tx, previous, evaluation, leaseEpoch);
      case 'executing':
        return this.takeOver(tx, previous, evaluation, leaseEpoch);
      case 'unsettled':
        return { outcome: toCallOutcome(previous, null, true) };
      default:
        return this.replay(tx, previous, evaluation, isOwn && previous.state !== 'denied');
    }
  }

  private async resumePending(
    tx: Tx,
    previous: CallIn<'awaiting_approval'>,
    evaluation: EvaluationContext,
  ): Promise<AdmissionResult | null> {
    const { principal, decision } = evaluation;
    const change = findChangeReason(previous, evaluation);
    if (change) {
      await this.callCompletion.withdraw(tx, principal, previous, { code: 'approval-denied', reason: change });
      return null;
    }
    const approvals = await this.approvals.listOfCall(tx, previous.tenantId, previous.id);
    return { outcome: awaitingOutcome(previous, approvals, decision.reason) };
  }

  private async runApproved(
    tx: Tx,
    previous: LedgerCall,
    evaluation: EvaluationContext,
    leaseEpoch: number | null,
  ): Promise<AdmissionResult | null> {
    const lapse = await this.callDispatch.findLapse(tx, previous, evaluation);
    if (lapse) {
      await this.callCompletion.withdraw(tx, evaluation.principal, previous, lapse);
      return null;
    }
    const started = await this.callDispatch.startApproved(tx, previous, evaluation, leaseEpoch);
    return started ? { run: { call: started, evaluation } } : { outcome: executingOutcome(previous) };
  }

  /**
   * The sender still works on the call, or is gone: the lease of the call has expired, or another process has taken
   * over its task.
   */
  private async takeOver(
    tx: Tx,
    previous: CallIn<'executing'>,
    evaluation: EvaluationContext,
    leaseEpoch: number | null,
  ): Promise<AdmissionResult | null> {
    if (previous.isDelegation) return this.pollDelegation(tx, previous, evaluation);
    const isTaken = leaseEpoch !== null && previous.leaseEpoch !== null && previous.leaseEpoch < leaseEpoch;
    if (!isTaken && previous.executingUntil > new Date()) return { outcome: toCallOutcome(previous, null, true) };
    const abandoned = (await this.callCompletion.abandon(tx, evaluation.principal, previous)) ?? previous;
    if (previous.effect === 'read') return this.runApproved(tx, abandoned, evaluation, leaseEpoch);
    return { outcome: toCallOutcome(abandoned, null, false) };
  }

  private async pollDelegation(
    tx: Tx,
    previous: CallIn<'executing'>,
    evaluation: EvaluationContext,
  ): Promise<AdmissionResult> {
    return (await this.callDispatch.renewDelegation(tx, previous))
      ? { run: { call: previous, evaluation, wasBegun: true } }
      : { outcome: toCallOutcome(previous, null, true) };
  }

  /** `wasSent`: the call of this very turn, which was sent. Its outcome never expires. */
  private async replay(
    tx: Tx,
    previous: LedgerCall,
    evaluation: EvaluationContext,
    wasSent: boolean,
  ): Promise<AdmissionResult | null> {
    const { deliveredAt } = previous;
    // a different destination with the same name
    if (!wasSent && previous.connectionId !== evaluation.tool.connectionId) return this.releaseRetryKey(tx, previous);
    if (!deliveredAt) {
      await tx.execute(markDelivered, [previous.tenantId, previous.id]);
      return { outcome: toCallOutcome(previous, openResult(this.seal, previous), false) };
    }
    const wasDenied = previous.state === 'denied';
    const isStillDenied = wasDenied && !hasChanged(previous, evaluation);
    const isRecent = Date.now() - deliveredAt.getTime() < replayWindowMs;
    if (wasSent || (isRecent && (!wasDenied || isStillDenied))) {
      await this.callAudit.record(tx, evaluation.principal, previous, 'replayed');
      return { outcome: toCallOutcome(previous, openResult(this.seal, previous), true) };
    }
    if (isStillDenied && previous.code === 'approval-denied')
      throw new Refusal(
        'approval-denied',
        `${previous.reason} The same call stays denied until the policies or the connection change.`,
      );
    return this.releaseRetryKey(tx, previous);
  }

  private async releaseRetryKey(tx: Tx, { tenantId, id }: ToolCall): Promise<null> {
    await tx.update(ToolCall, { tenantId, id }, { retryKey: null });
    return null;
  }
}

/** Whether the policies or the connection changed since the decision. The retry key covers tool and arguments. */
const hasChanged = (call: ToolCall, { tool, decision }: EvaluationContext): boolean =>
  call.policyRevision !== decision.revision || findConnectionChangeReason(call, tool) !== null;
