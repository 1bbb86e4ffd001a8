import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { TransactionCache } from '../platform/database/transaction-cache.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { ApprovalRequestService } from './approval-request.service.js';
import { BatchAdmissionService } from './batch-admission.service.js';
import { StaleLease } from './gate.error.js';
import { decisionEntry, CallAuditService } from './call-audit.service.js';
import { type EvaluationContext, CallEvaluationService } from './call-evaluation.service.js';
import { insertToolCall } from './ledger.sql.js';
import { type GateCallRequest, newCall } from './new-call.js';
import type { CallOutcome } from './outcome.js';
import { Refusal } from './refusal.js';
import { CallRetryService } from './call-retry.service.js';
import { assignRetryKey, pausedRetryKey } from './retry-key.js';
import { type ArgumentCheck, IsolatedCheckRequired } from './schema-check.js';
import { type TaskCallHistory, TaskFence } from './task-fence.service.js';
import { type AdmissionResult, CallDispatchService } from './call-dispatch.service.js';
import { denyNewCall } from './call-moves.js';
import type { CallIn } from './call-state.js';
import { ToolCall } from './tool-call.entity.js';

const maxDenialsPerTask = 3;

/**
 * Enters a call in the ledger in one transaction. Tries batch admission first. Individual admission denies the call,
 * requests approval, resumes an identical earlier call, or starts it.
 */
@Injectable()
export class CallAdmissionService {
  constructor(
    private readonly database: DatabaseService,
    private readonly batchAdmission: BatchAdmissionService,
    private readonly taskFence: TaskFence,
    private readonly callEvaluation: CallEvaluationService,
    private readonly callRetry: CallRetryService,
    private readonly callDispatch: CallDispatchService,
    private readonly approvalRequest: ApprovalRequestService,
    private readonly callAudit: CallAuditService,
  ) {}

  /** Throws StaleLease if another process has taken over the task. */
  async admit(principal: Principal, request: GateCallRequest): Promise<AdmissionResult> {
    const run = await this.batchAdmission.admit(principal, request);
    return run ? { run } : this.admitIndividually(principal, request);
  }

  /** Batch admission has already stored the turn, if any. No transaction is open while a worker checks arguments. */
  private async admitIndividually(principal: Principal, request: GateCallRequest): Promise<AdmissionResult> {
    let completedCheck: ArgumentCheck | undefined;
    for (;;) {
      try {
        return await this.tryAdmit(principal, request, completedCheck);
      } catch (error) {
        if (!(error instanceof IsolatedCheckRequired)) throw error; // repeats once, unless the tool changes meanwhile
        completedCheck = await error.run();
      }
    }
  }

  private tryAdmit(
    principal: Principal,
    request: GateCallRequest,
    completedCheck?: ArgumentCheck,
  ): Promise<AdmissionResult> {
    return this.database.tenant(principal, async (tx) => {
      const call = newCall(principal, request);
      const history = await this.requireTaskHistory(tx, call);
      try {
        const evaluation = await this.callEvaluation.evaluate(
          new TransactionCache(tx),
          principal,
          call,
          request,
          completedCheck,
        );
        return await this.resumeOrBegin(tx, call, evaluation, history);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return { outcome: await this.recordDenial(tx, principal, call, error, request.tool) };
      }
    });
  }

  private async requireTaskHistory(tx: Tx, call: CallIn<'requested'>): Promise<TaskCallHistory> {
    const [history] = await this.taskFence.acquire(tx, [{ call }]);
    if (!history) throw new StaleLease(call.taskId!);
    return history;
  }

  private async resumeOrBegin(
    tx: Tx,
    call: CallIn<'requested'>,
    evaluation: EvaluationContext,
    { denials, sentId }: TaskCallHistory,
  ): Promise<AdmissionResult> {
    assignRetryKey(call, evaluation);
    let ownId = sentId;
    for (;;) {
      const previous = await this.callRetry.find(tx, call, ownId);
      if (previous) {
        const attempt = { leaseEpoch: call.leaseEpoch, isOwn: previous.id === ownId };
        const resumed = await this.callRetry.resume(tx, previous, evaluation, attempt);
        if (resumed) return resumed;
      }
      const begun = await this.begin(tx, call, evaluation, denials);
      if (begun) return begun;
      ownId = null; // an identical call was inserted concurrently: find it by the retry key
    }
  }

  /** Begins a new call. Null if an identical call was inserted concurrently. */
  private async begin(
    tx: Tx,
    call: CallIn<'requested'>,
    evaluation: EvaluationContext,
    denials: number,
  ): Promise<AdmissionResult | null> {
    if (denials >= maxDenialsPerTask)
      throw new Refusal(
        'policy-denied',
        `"${call.tool}" was denied ${denials} times in this task, so this task can no longer use it.`,
      );
    if (evaluation.decision.verdict === 'approval') return this.approvalRequest.request(tx, call, evaluation);
    const [run] = await this.callDispatch.startNew(tx, [{ call, evaluation }]);
    return run ? { run } : null;
  }

  private async recordDenial(
    tx: Tx,
    principal: Principal,
    call: CallIn<'requested'>,
    { code, reason, disclosed }: Refusal,
    requestedTool: string,
  ): Promise<CallOutcome> {
    const now = new Date();
    const denied = denyNewCall(call, { code, reason }, now);
    denied.retryKey = code === 'paused' ? pausedRetryKey(denied, requestedTool, now) : null;
    const events = this.callAudit.serialize([decisionEntry(principal, denied, 'denied')]);
    const { id: callId } = (await insertToolCall(tx, denied, events))
      ? denied
      : await tx.findOneByOrFail(ToolCall, { tenantId: denied.tenantId, retryKey: denied.retryKey! });
    return { callId, tool: requestedTool, state: 'denied', ...disclosed };
  }
}
