import { Injectable } from '@nestjs/common';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { sha256 } from '../platform/crypto/digest.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { TransactionCache } from '../platform/database/transaction-cache.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { BatchAdmissionService } from './batch-admission.service.js';
import { CallCompletionService } from './call-completion.service.js';
import { StaleLease } from './gate.error.js';
import { decisionEntry, CallAuditService } from './call-audit.service.js';
import { type EvaluationContext, CallEvaluationService } from './call-evaluation.service.js';
import { insertToolCall, lockCaller } from './ledger.sql.js';
import { type GateCallRequest, newCall } from './new-call.js';
import { awaitingOutcome, type CallOutcome, toCallOutcome } from './outcome.js';
import { Refusal } from './refusal.js';
import { RequestersService } from './requesters.service.js';
import { type AdmissionResult, CallRetryService } from './call-retry.service.js';
import { retryKeyOf } from './retry-key.js';
import { type ArgumentCheck, IsolatedCheckRequired } from './schema-check.js';
import { type TaskCallHistory, TaskFence } from './task-fence.service.js';
import { type AdmittedCall, CallDispatchService } from './call-dispatch.service.js';
import { ToolCall } from './tool-call.entity.js';

const maxPendingCalls = 20;
const maxDenialsPerTask = 3;
const pausedRowMs = 10 * 60 * 1000;

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
    private readonly callCompletion: CallCompletionService,
    private readonly requesters: RequestersService,
    private readonly approvals: ApprovalsService,
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

  /** For the background: an approved call that no task resumes. Null: it must not run, or not yet. */
  admitApproved(principal: Principal, callId: string): Promise<AdmittedCall | null> {
    return this.database.tenant(principal, async (tx) => {
      await this.approvals.lockCalls(tx, [callId]);
      const call = await tx.findOneBy(ToolCall, { tenantId: principal.tenantId, id: callId, state: 'approved' });
      if (!call) return null;
      try {
        const evaluation = await this.callEvaluation.reevaluate(tx, call);
        const lapse = await this.callDispatch.findLapse(tx, call, evaluation);
        if (lapse) throw lapse;
        return (await this.callDispatch.startApproved(tx, call, evaluation, null)) ? { call, evaluation } : null;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        // a paused call stays approved and runs when the pause ends
        if (error.code !== 'paused') await this.callCompletion.withdraw(tx, principal, call, error);
        return null;
      }
    });
  }

  /** For the background: a delegation whose lease has expired. Null: do not poll it now, or it has ended. */
  admitDelegation(
    principal: Principal,
    callId: string,
    publish: (tx: Tx, call: ToolCall) => Promise<void>,
  ): Promise<AdmittedCall | null> {
    return this.database.tenant(principal, async (tx) => {
      await this.approvals.lockCalls(tx, [callId]);
      const where = { tenantId: principal.tenantId, id: callId, state: 'executing' as const, isDelegation: true };
      const call = await tx.findOneBy(ToolCall, where);
      if (!call || call.executingUntil! > new Date()) return null;
      const isRenewed = await this.callDispatch.renewDelegation(tx, call);
      try {
        const evaluation = await this.callEvaluation.reevaluate(tx, call, { isUnderWay: true });
        return isRenewed ? { call, evaluation, wasBegun: true } : null;
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        if (error.code !== 'paused' && (await this.callCompletion.fail(tx, principal, call, error.reason)))
          await publish(tx, call);
        return null;
      }
    });
  }

  private async requireTaskHistory(tx: Tx, call: ToolCall): Promise<TaskCallHistory> {
    const [history] = await this.taskFence.acquire(tx, [{ call }]);
    if (!history) throw new StaleLease(call.taskId!);
    return history;
  }

  private async resumeOrBegin(
    tx: Tx,
    call: ToolCall,
    evaluation: EvaluationContext,
    { denials, sentId }: TaskCallHistory,
  ): Promise<AdmissionResult> {
    // a read is never a retry, unless it may be waiting for approval
    if (call.effect !== 'read' || call.isDelegation || evaluation.decision.verdict === 'approval')
      call.retryKey = retryKeyOf(call, evaluation);
    for (let known = sentId; ; known = null) {
      const previous = await this.callRetry.find(tx, call, known);
      const attempt = { leaseEpoch: call.leaseEpoch, isOwn: previous?.id === known };
      const placed =
        (previous && (await this.callRetry.resume(tx, previous, evaluation, attempt))) ??
        (await this.begin(tx, call, evaluation, denials));
      if (placed) return placed;
    }
  }

  /** Begins a new call. Null if an identical call was inserted concurrently. */
  private async begin(
    tx: Tx,
    call: ToolCall,
    evaluation: EvaluationContext,
    denials: number,
  ): Promise<AdmissionResult | null> {
    if (denials >= maxDenialsPerTask)
      throw new Refusal(
        'policy-denied',
        `"${call.tool}" was denied ${denials} times in this task, so this task can no longer use it.`,
      );
    if (evaluation.decision.verdict === 'approval') return this.requestApproval(tx, call, evaluation);
    const [run] = await this.callDispatch.startNew(tx, [{ call, evaluation }]);
    return run ? { run } : null;
  }

  private async requestApproval(
    tx: Tx,
    call: ToolCall,
    evaluation: EvaluationContext,
  ): Promise<AdmissionResult | null> {
    const { principal, tool, decision } = evaluation;
    const { tenantId, id: callId, identity, configurationId, taskId } = call;
    await tx.execute(lockCaller, [`${call.tenantId} ${call.identity}`]);
    const pending = await tx.countBy(ToolCall, { tenantId, identity, state: 'awaiting_approval' });
    if (pending >= maxPendingCalls)
      throw new Refusal(
        'not-permitted',
        `This caller already has ${pending} calls waiting for approval. Try again when some of them are decided.`,
      );
    const { title, description, inputSchema } = tool;
    Object.assign(call, { state: 'awaiting_approval', definition: { title, description, inputSchema } });
    if (!(await insertToolCall(tx, call, this.callAudit.serialize([decisionEntry(principal, call, 'requested')]))))
      return null;
    const callRequesters = await this.requesters.resolve(tx, principal);
    const approvals = await this.approvals.request(tx, principal, {
      callId,
      configurationId,
      taskId,
      tool: tool.name,
      stepNames: decision.steps,
      ...callRequesters,
    });
    if (!approvals) return { outcome: await this.denyUnreachable(tx, principal, call, decision.steps) };
    await tx.update(ToolCall, { tenantId, id: callId }, { expiresAt: earliestExpiry(approvals) });
    return { outcome: awaitingOutcome(call, approvals, decision.reason) };
  }

  private async denyUnreachable(tx: Tx, principal: Principal, call: ToolCall, steps: string[]): Promise<CallOutcome> {
    const named = steps.map((name) => `"${name}"`).join(' and ');
    const reason = `No one can decide on this call. Everyone named by the approval step ${named} requested it, knows a credential that it used, or was introduced only by a requester. Administrators can open the call to see who needs a vouch.`;
    await this.callCompletion.deny(tx, principal, call, {
      code: 'approval-unreachable',
      reason,
      retryKey: null,
      deliveredAt: new Date(),
    });
    return toCallOutcome(call, null, false);
  }

  private async recordDenial(
    tx: Tx,
    principal: Principal,
    call: ToolCall,
    { code, reason, disclosed }: Refusal,
    requestedTool: string,
  ): Promise<CallOutcome> {
    const now = new Date();
    Object.assign(call, { state: 'denied', code, reason, endedAt: now, deliveredAt: now });
    // tasks retry every few seconds during a pause: one row covers all retries of an interval
    call.retryKey = code === 'paused' ? pausedRetryKey(call, requestedTool, now) : null;
    const isNew = await insertToolCall(tx, call, this.callAudit.serialize([decisionEntry(principal, call, 'denied')]));
    const { id: callId } = isNew
      ? call
      : await tx.findOneByOrFail(ToolCall, { tenantId: call.tenantId, retryKey: call.retryKey! });
    return { callId, tool: requestedTool, state: 'denied', ...disclosed };
  }
}

const pausedRetryKey = (
  { identity, taskId, configurationId, argumentsHash }: ToolCall,
  tool: string,
  now: Date,
): Buffer =>
  sha256(
    [
      'paused',
      identity,
      taskId,
      configurationId,
      tool,
      argumentsHash?.toString('hex'),
      Math.floor(now.getTime() / pausedRowMs),
    ].join('\n'),
  );

const earliestExpiry = (approvals: { expiresAt: Date }[]): Date =>
  new Date(Math.min(...approvals.map(({ expiresAt }) => expiresAt.getTime())));
