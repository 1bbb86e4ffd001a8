import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import {
  AccountNeeded,
  CallFault,
  CapabilityNeeded,
  Deferred,
  NotSent,
  Uncertain,
} from '../connections/connections.error.js';
import { type Conversation, type ToolResult, ToolsService } from '../connections/tools.service.js';
import { Config } from '../platform/config/config.js';
import { Seal } from '../platform/crypto/seal.service.js';
import { Database, lastly } from '../platform/database/database.service.js';
import { Gather } from '../platform/database/gather.js';
import { Log } from '../platform/telemetry/log.service.js';
import { span } from '../platform/telemetry/trace.js';
import { oneLine } from '../platform/text/quoted.js';
import { Journal } from './journal.service.js';
import { endAll, renew } from './ledger.sql.js';
import type { TaskOfCall } from './new-call.js';
import { CallClock } from './call-clock.js';
import { type CallOutcome, type FailureCode, type Needs, outcomeOf, unknownOutcome } from './outcome.js';
import { Questions } from './questions.service.js';
import { Settled } from './settled.service.js';
import { Standings } from './standings.service.js';
import type { Run } from './starts.service.js';
import { openResult, sealResult } from './sealed.js';
import { ToolCall } from './tool-call.entity.js';

interface Sent {
  state: 'succeeded' | 'failed' | 'unsettled';
  code: FailureCode | null;
  reason: string | null;
  /** Result or reason holds words of another system, or may. */
  isForeign: boolean;
  result: ToolResult | null;
  needs?: Needs;
}

/** Who waits for the outcome and hears it now; without a caller, whoever is to be told of it. */
interface Audience {
  task?: TaskOfCall;
  conversation?: Conversation;
  /** Aborted when the caller does not want the outcome any more. */
  signal?: AbortSignal;
  announce?: (tx: EntityManager) => Promise<void>;
}

interface Returned extends Audience {
  tenantId: string;
  run: Run;
  sent: Sent;
  ms: number;
}

/** Nothing was sent, for the moment to do so had gone by. */
class Stalled extends NotSent {}

/** How long after its due time a task has to poll until the ledger does it. */
const taskGraceSeconds = 60;
/** After a poll that failed for a reason of our own. */
const failedPollSeconds = 5;

/** Longer answers are handed on and not kept: the same call asked for again is told so. */
const longestKept = 1024 * 1024;

/** Sends what was admitted, once, and records what became of it. */
@Injectable()
export class Execution {
  /** Outcomes that come back together are recorded in one transaction. */
  private readonly recording = new Gather<Returned, CallOutcome>((tenantId, returned) =>
    this.record(tenantId, returned),
  );

  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly tools: ToolsService,
    private readonly journal: Journal,
    private readonly standings: Standings,
    private readonly questions: Questions,
    private readonly settled: Settled,
    private readonly seal: Seal,
    private readonly log: Log,
  ) {}

  async run(run: Run, audience: Audience): Promise<CallOutcome> {
    const startedAt = performance.now();
    const sent = await this.send(run, audience);
    if (sent instanceof Deferred) return this.defer(run, sent);
    const ms = Math.round(performance.now() - startedAt);
    return this.recording.ask({ tenantId: run.call.tenantId, run, sent, ms, ...audience });
  }

  /** The task stores its next poll as its due time; the ledger polls where no task waits, or the task does not come back. */
  private async defer({ call }: Run, deferral: Deferred): Promise<CallOutcome> {
    const { standing: deferred, pollSeconds, isPolledByTask, isForeign } = deferral;
    const ledgerSeconds = isPolledByTask ? pollSeconds + taskGraceSeconds : Math.ceil(pollSeconds);
    await this.database.tenant(call, (tx) => renew(tx, call, ledgerSeconds));
    return {
      callId: call.id,
      tool: call.tool,
      state: 'executing',
      deferred,
      pollSeconds,
      ...(isForeign ? { isForeign } : {}),
    };
  }

  private async send({ call, matter, wasBegun }: Run, caller: Audience): Promise<Sent | Deferred> {
    const { principal, entry, tool, args } = matter;
    const longestMs = this.config.limits.callSeconds * 1000;
    // stopped for a while since it was committed: before it came back, others would take it for lost
    if (Date.now() + longestMs > call.executingUntil!.getTime())
      return this.broken(call, new Stalled('this process was stalled before the call was sent'));
    const clock = new CallClock(longestMs, endsWith(call, caller));
    const { signal } = clock;
    const conversation = caller.conversation && this.questions.within(caller.conversation, call, clock);
    const { id: idempotencyKey, attempts: attempt, taskId, tainted: isTainted } = call;
    const made = { taskId, isTainted, idempotencyKey, attempt, wasBegun };
    const context = { principal, ...entry, ...made, signal, conversation };
    try {
      const sending = span('gate.execute', { 'tool.name': tool.name, 'call.id': call.id }, () =>
        this.tools.execute(context, tool, args.value),
      );
      const { reason, ...result } = await within(sending, signal);
      const { isError, outside: isForeign } = result;
      if (isError)
        return {
          state: 'failed',
          code: 'upstream-failed',
          reason: storable(reason ?? firstWords(result)),
          isForeign,
          result,
        };
      return { state: 'succeeded', code: null, reason: null, isForeign, result };
    } catch (error) {
      return this.broken(call, error);
    } finally {
      clock.end();
    }
  }

  /** Only what surely did not arrive has failed. A read may be repeated, so it has failed in any case. */
  private broken(call: ToolCall, error: unknown): Sent | Deferred {
    if (error instanceof Deferred) return error;
    const reason = storable(error instanceof Error ? error.message : String(error));
    const isKnown = error instanceof NotSent || error instanceof Uncertain;
    // of whatever else was thrown nobody knows whose words it repeats
    const isForeign = error instanceof CallFault ? error.isForeign : true;
    const nothing = { isForeign, result: null };
    if (call.isDelegation && (error instanceof Stalled || !isKnown)) {
      this.log.warn({ err: error, callId: call.id }, 'a delegation could not be looked at; it is tried again');
      return new Deferred({ agent: call.tool, state: 'working' }, failedPollSeconds);
    }
    if (error instanceof AccountNeeded)
      return { state: 'failed', code: 'account-needed', reason, ...nothing, needs: { connectUrl: error.url } };
    if (error instanceof CapabilityNeeded) {
      const needs = { requiredCapabilities: error.capabilities };
      return { state: 'failed', code: 'capability-needed', reason, ...nothing, needs };
    }
    if (error instanceof NotSent || call.effect === 'read')
      return { state: 'failed', code: 'upstream-failed', reason, ...nothing };
    this.log.warn({ err: error, callId: call.id, tool: call.tool }, 'the outcome of a call is not known');
    return { state: 'unsettled', code: null, reason: `${unknownOutcome} (${reason})`, ...nothing };
  }

  private async record(tenantId: string, returned: readonly Returned[]): Promise<CallOutcome[]> {
    const ended = await this.database.tenant({ tenantId }, (tx) => this.end(tx, tenantId, returned));
    return Promise.all(returned.map(async ({ run }, nth) => ended[nth] ?? this.overtaken(run.call)));
  }

  /** Null: somebody took this attempt for lost before it came back. */
  private async end(
    tx: EntityManager,
    tenantId: string,
    returned: readonly Returned[],
  ): Promise<(CallOutcome | null)[]> {
    const endings = returned.map(({ run: { call }, sent, announce }) => ({
      call,
      ended: {
        ...sent,
        isDelivered: !announce,
        resultSealed:
          sent.result && (call.isDelegation || call.retryKey !== null) ? this.keep(call, sent.result) : null,
      },
    }));
    const end = () => endAll(tx, tenantId, endings, this.journal.written(returned.map(told)));
    const isAll = returned.every(({ task, announce, run }) => !task && !announce && !run.call.isDelegation);
    const ended = await (isAll ? lastly(tx, end) : end());
    const outcomes: (CallOutcome | null)[] = [];
    for (const { run, sent, announce } of returned) {
      const { call } = run;
      outcomes.push(ended.has(call.id) ? toldNow(Object.assign(call, without(sent)), sent) : null);
      await announce?.(tx);
      // what it had handed on by then is to end with it
      if (call.isDelegation && call.state === 'failed' && !announce) await this.settled.announce(tx, call);
    }
    const ofTasks = returned.flatMap(({ task }, nth) => {
      const outcome = outcomes[nth];
      return task && outcome ? [{ taskId: task.id, leaseEpoch: task.leaseEpoch, ref: task.ref, outcome }] : [];
    });
    for (const { outcome } of await this.standings.keep(tx, tenantId, ofTasks)) outcome.isKept = true;
    return outcomes;
  }

  /** What they found stands. */
  private async overtaken({ tenantId, id }: ToolCall): Promise<CallOutcome> {
    this.log.warn({ callId: id }, 'a call came back after it had been taken for lost');
    const now = await this.database.tenant({ tenantId }, (tx) => tx.findOneByOrFail(ToolCall, { tenantId, id }));
    return outcomeOf(now, openResult(this.seal, now), true);
  }

  private keep(call: ToolCall, result: ToolResult): Buffer {
    const { url, outside, isError } = result;
    const kept =
      JSON.stringify(result).length <= longestKept
        ? result
        : { content: [tooLong], isError, outside, ...(url ? { url } : {}) };
    return sealResult(this.seal, call, kept);
  }
}

function toldNow(call: ToolCall, { result, needs }: Sent): CallOutcome {
  const outcome = outcomeOf(call, result, false);
  return outcome.state === 'failed' ? { ...outcome, ...needs } : outcome;
}

const without = ({ state, code, reason, isForeign }: Sent) => ({ state, code, reason, isForeign });

const told = ({ run: { call, matter }, sent: { state, code }, ms }: Returned) => ({
  by: matter.principal,
  call,
  event: state,
  more: { ms, ...(code ? { code } : {}) },
});

const tooLong = { type: 'text' as const, text: 'The answer was too long to be kept.' };

/**
 * A caller who goes away ends what only reads. What changes something goes on to its end: given up halfway, nobody would know
 * what became of it, and the same call asked for again finds its outcome.
 */
const endsWith = ({ effect, retryKey }: ToolCall, { signal }: Audience): AbortSignal | undefined =>
  effect === 'read' && !retryKey ? signal : undefined;

/** A connector that does not heed its signal is not waited for. */
function within<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(signal.reason as Error);
    if (signal.aborted) return late();
    signal.addEventListener('abort', late, { once: true });
    void work.then(resolve, reject).finally(() => signal.removeEventListener('abort', late));
  });
}

/** Of a tool of ours: the words are ours, too. */
const firstWords = ({ content }: ToolResult): string =>
  content.find((part) => part.type === 'text')?.text || 'The tool failed without saying why.';

const longestReason = 1000;

/** On one line, as people and PostgreSQL take it, and not more of it than a reason needs. */
const storable = (text: string): string => oneLine(text.slice(0, longestReason));
