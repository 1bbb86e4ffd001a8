import { Injectable } from '@nestjs/common';
import {
  AccountNeeded,
  CallFault,
  CapabilityNeeded,
  Deferred,
  NotSent,
  OutcomeUnknown,
} from '../connections/connections.error.js';
import { type Conversation, type ToolResult, ToolsService } from '../connections/tools.service.js';
import { Config } from '../platform/config/config.js';
import { SealService } from '../platform/crypto/seal.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { Batcher } from '../platform/database/batcher.js';
import type { Tx } from '../platform/database/tx.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { withSpan } from '../platform/telemetry/trace.js';
import { toSingleLine } from '../platform/text/quote-external-text.js';
import { type CallAuditEntry, CallAuditService } from './call-audit.service.js';
import { endCalls, renewExecution } from './ledger.sql.js';
import type { CallingTask } from './new-call.js';
import { CallDeadline } from './call-deadline.js';
import {
  type CallOutcome,
  type CallFailureCode,
  type CallPrerequisites,
  toCallOutcome,
  unknownOutcome,
} from './outcome.js';
import { CallElicitationService } from './call-elicitation.service.js';
import { CallSettlementService } from './call-settlement.service.js';
import { TaskFence } from './task-fence.service.js';
import type { AdmittedCall } from './call-dispatch.service.js';
import { openResult, sealResult } from './call-sealing.js';
import { ToolCall } from './tool-call.entity.js';

interface AttemptResult {
  state: 'succeeded' | 'failed' | 'unsettled';
  code: CallFailureCode | null;
  reason: string | null;
  /** The result or reason contains text of another system, or may contain it. */
  isForeign: boolean;
  result: ToolResult | null;
  needs?: CallPrerequisites;
}

/** Who receives the outcome: the waiting caller, or `publish` if no caller waits. */
interface OutcomeRecipient {
  task?: CallingTask;
  conversation?: Conversation;
  /** Aborted when the caller no longer wants the outcome. */
  signal?: AbortSignal;
  publish?: (tx: Tx) => Promise<void>;
}

interface CompletedAttempt extends OutcomeRecipient {
  tenantId: string;
  run: AdmittedCall;
  attempt: AttemptResult;
  ms: number;
}

/** The process stalled past the time to send, so nothing was sent. */
class StalledBeforeSend extends NotSent {}

/** The ledger polls a delegation if its task has not done so this long after the due time. */
const taskGraceSeconds = 60;
/** Delay after a poll that failed because of an internal error. */
const failedPollSeconds = 5;

/** Longer results are returned but not stored. A replay of the call says so. */
const maxStoredResultLength = 1024 * 1024;

/** Sends an admitted call once and records its outcome. */
@Injectable()
export class CallExecutor {
  /** Records concurrent outcomes in one transaction. */
  private readonly outcomeBatch = new Batcher<CompletedAttempt, CallOutcome>((tenantId, attempts) =>
    this.record(tenantId, attempts),
  );

  constructor(
    private readonly database: DatabaseService,
    private readonly config: Config,
    private readonly tools: ToolsService,
    private readonly callAudit: CallAuditService,
    private readonly taskFence: TaskFence,
    private readonly callElicitation: CallElicitationService,
    private readonly callSettlement: CallSettlementService,
    private readonly seal: SealService,
    private readonly log: LogService,
  ) {}

  async run(run: AdmittedCall, recipient: OutcomeRecipient): Promise<CallOutcome> {
    const startedAt = performance.now();
    const attempt = await this.send(run, recipient);
    if (attempt instanceof Deferred) return this.defer(run, attempt);
    const ms = Math.round(performance.now() - startedAt);
    return this.outcomeBatch.submit({ tenantId: run.call.tenantId, run, attempt, ms, ...recipient });
  }

  /** The task stores its next poll as its due time. The ledger polls if no task waits or the task does not return. */
  private async defer({ call }: AdmittedCall, deferral: Deferred): Promise<CallOutcome> {
    const { taskStatus: deferred, pollSeconds, isPolledByTask, isForeign } = deferral;
    const ledgerSeconds = isPolledByTask ? pollSeconds + taskGraceSeconds : Math.ceil(pollSeconds);
    await this.database.tenant(call, (tx) => renewExecution(tx, call, ledgerSeconds));
    return {
      callId: call.id,
      tool: call.tool,
      state: 'executing',
      deferred,
      pollSeconds,
      ...(isForeign ? { isForeign } : {}),
    };
  }

  private async send(
    { call, evaluation, wasBegun }: AdmittedCall,
    recipient: OutcomeRecipient,
  ): Promise<AttemptResult | Deferred> {
    const { principal, access, tool, args } = evaluation;
    const longestMs = this.config.limits.callSeconds * 1000;
    // the process stalled since the commit: another process would declare the call lost before an answer arrives
    if (Date.now() + longestMs > call.executingUntil!.getTime())
      return this.toFailure(call, new StalledBeforeSend('this process was stalled before the call was sent'));
    const deadline = new CallDeadline(longestMs, callerSignal(call, recipient));
    const { signal } = deadline;
    const conversation = recipient.conversation && this.callElicitation.wrap(recipient.conversation, call, deadline);
    const { id: idempotencyKey, attempts: attempt, taskId, tainted: isTainted } = call;
    const made = { taskId, isTainted, idempotencyKey, attempt, wasBegun };
    const context = { principal, ...access, ...made, signal, conversation };
    try {
      const sending = withSpan('gate.execute', { 'tool.name': tool.name, 'call.id': call.id }, () =>
        this.tools.execute(context, tool, args.value),
      );
      const { reason, ...result } = await raceWithSignal(sending, signal);
      const { isError, outside: isForeign } = result;
      if (isError)
        return {
          state: 'failed',
          code: 'upstream-failed',
          reason: toStorableReason(reason ?? firstText(result)),
          isForeign,
          result,
        };
      return { state: 'succeeded', code: null, reason: null, isForeign, result };
    } catch (error) {
      return this.toFailure(call, error);
    } finally {
      deadline.end();
    }
  }

  /** A write has failed only if it certainly did not arrive. A read can be repeated, so it always fails. */
  private toFailure(call: ToolCall, error: unknown): AttemptResult | Deferred {
    if (error instanceof Deferred) return error;
    const reason = toStorableReason(error instanceof Error ? error.message : String(error));
    const isKnown = error instanceof NotSent || error instanceof OutcomeUnknown;
    // any other error may quote text of another system
    const isForeign = error instanceof CallFault ? error.isForeign : true;
    const noResult = { isForeign, result: null };
    if (call.isDelegation && (error instanceof StalledBeforeSend || !isKnown)) {
      this.log.warn({ err: error, callId: call.id }, 'delegation could not be polled; retrying');
      return new Deferred({ agent: call.tool, state: 'working' }, failedPollSeconds);
    }
    if (error instanceof AccountNeeded)
      return { state: 'failed', code: 'account-needed', reason, ...noResult, needs: { connectUrl: error.url } };
    if (error instanceof CapabilityNeeded) {
      const needs = { requiredCapabilities: error.capabilities };
      return { state: 'failed', code: 'capability-needed', reason, ...noResult, needs };
    }
    if (error instanceof NotSent || call.effect === 'read')
      return { state: 'failed', code: 'upstream-failed', reason, ...noResult };
    this.log.warn({ err: error, callId: call.id, tool: call.tool }, 'outcome of a call is unknown');
    return { state: 'unsettled', code: null, reason: `${unknownOutcome} (${reason})`, ...noResult };
  }

  private async record(tenantId: string, attempts: readonly CompletedAttempt[]): Promise<CallOutcome[]> {
    const outcomes = await this.database.tenant({ tenantId }, (tx) => this.recordAttempts(tx, tenantId, attempts));
    return Promise.all(attempts.map(async ({ run }, nth) => outcomes[nth] ?? this.loadRecordedOutcome(run.call)));
  }

  /** Null: another process declared this attempt lost before its answer arrived. */
  private async recordAttempts(
    tx: Tx,
    tenantId: string,
    attempts: readonly CompletedAttempt[],
  ): Promise<(CallOutcome | null)[]> {
    const endings = attempts.map(({ run: { call }, attempt, publish }) => ({
      call,
      ended: {
        ...attempt,
        isDelivered: !publish,
        resultSealed:
          attempt.result && (call.isDelegation || call.retryKey !== null)
            ? this.sealForReplay(call, attempt.result)
            : null,
      },
    }));
    const end = () => endCalls(tx, tenantId, endings, this.callAudit.serialize(attempts.map(toAuditEntry)));
    const isAll = attempts.every(({ task, publish, run }) => !task && !publish && !run.call.isDelegation);
    const ended = await (isAll ? tx.commitWith(end) : end());
    const outcomes: (CallOutcome | null)[] = [];
    for (const { run, attempt, publish } of attempts) {
      const { call } = run;
      outcomes.push(ended.has(call.id) ? toFirstOutcome(Object.assign(call, withoutResult(attempt)), attempt) : null);
      await publish?.(tx);
      // the delegated task ends together with the call
      if (call.isDelegation && call.state === 'failed' && !publish) await this.callSettlement.publish(tx, call);
    }
    const taskOutcomes = attempts.flatMap(({ task }, nth) => {
      const outcome = outcomes[nth];
      return task && outcome ? [{ taskId: task.id, leaseEpoch: task.leaseEpoch, ref: task.ref, outcome }] : [];
    });
    for (const { outcome } of await this.taskFence.storeOutcomes(tx, tenantId, taskOutcomes))
      outcome.isInTranscript = true;
    return outcomes;
  }

  /** The outcome that the other process recorded is final. */
  private async loadRecordedOutcome({ tenantId, id }: ToolCall): Promise<CallOutcome> {
    this.log.warn({ callId: id }, 'answer of a call arrived after the call was declared lost');
    const now = await this.database.tenant({ tenantId }, (tx) => tx.findOneByOrFail(ToolCall, { tenantId, id }));
    return toCallOutcome(now, openResult(this.seal, now), true);
  }

  private sealForReplay(call: ToolCall, result: ToolResult): Buffer {
    const { url, outside, isError } = result;
    const stored =
      JSON.stringify(result).length <= maxStoredResultLength
        ? result
        : { content: [resultTooLong], isError, outside, ...(url ? { url } : {}) };
    return sealResult(this.seal, call, stored);
  }
}

function toFirstOutcome(call: ToolCall, { result, needs }: AttemptResult): CallOutcome {
  const outcome = toCallOutcome(call, result, false);
  return outcome.state === 'failed' ? { ...outcome, ...needs } : outcome;
}

const withoutResult = ({ state, code, reason, isForeign }: AttemptResult) => ({ state, code, reason, isForeign });

const toAuditEntry = ({
  run: { call, evaluation },
  attempt: { state, code },
  ms,
}: CompletedAttempt): CallAuditEntry => ({
  by: evaluation.principal,
  call,
  event: state,
  detail: { ms, ...(code ? { code } : {}) },
});

const resultTooLong = { type: 'text' as const, text: 'The result was too long to store.' };

/**
 * A disconnected caller cancels only reads. A call that changes something runs to its end: if canceled halfway, its
 * outcome would be unknown. A retry of the same call finds the outcome.
 */
const callerSignal = ({ effect, retryKey }: ToolCall, { signal }: OutcomeRecipient): AbortSignal | undefined =>
  effect === 'read' && !retryKey ? signal : undefined;

/** Does not wait for a connector that ignores its signal. */
function raceWithSignal<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason as Error);
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** For built-in tools, whose text is trusted. */
const firstText = ({ content }: ToolResult): string =>
  content.find((part) => part.type === 'text')?.text || 'The tool failed without giving a reason.';

const maxReasonLength = 1000;

/** A single line that people can read and PostgreSQL can store, cut to a bounded length. */
const toStorableReason = (text: string): string => toSingleLine(text.slice(0, maxReasonLength));
