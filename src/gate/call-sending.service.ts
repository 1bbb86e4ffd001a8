import { Injectable } from '@nestjs/common';
import {
  AccountNeeded,
  CallFault,
  CapabilityNeeded,
  Deferred,
  NotSent,
  OutcomeUnknown,
} from '../connections/connections.error.js';
import { type Conversation, type ResultNotice, type ToolResult, ToolsService } from '../connections/tools.service.js';
import { Config } from '../platform/config/config.js';
import type { Tx } from '../platform/database/tx.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { withSpan } from '../platform/telemetry/trace.js';
import { toSingleLine } from '../platform/text/quote-external-text.js';
import { CallDeadline } from './call-deadline.js';
import type { AdmittedCall } from './call-dispatch.service.js';
import { CallElicitationService } from './call-elicitation.service.js';
import type { AttemptEnd } from './call-state.js';
import type { CallingTask } from './new-call.js';
import { type CallPrerequisites, unknownOutcome } from './outcome.js';
import { raceWithSignal } from './race-with-signal.js';
import type { ToolCall } from './tool-call.entity.js';

/** How an attempt ended, with what its caller receives. */
export type AttemptResult = AttemptEnd & {
  result: ToolResult | null;
  needs?: CallPrerequisites;
  /** SHA-256, in hex, of the result before the rules of the tool were applied. */
  resultHash?: string;
  /** What these rules found in the result or the error. */
  notice?: ResultNotice;
};

/** Who receives the outcome: the waiting caller, or `publish` if no caller waits. */
export interface OutcomeRecipient {
  task?: CallingTask;
  conversation?: Conversation;
  /** Aborted when the caller no longer wants the outcome. */
  signal?: AbortSignal;
  publish?: (tx: Tx) => Promise<void>;
}

/** The process stalled past the time to send, so nothing was sent. */
class StalledBeforeSend extends NotSent {}

/** Delay after a poll that failed because of an internal error. */
const failedPollSeconds = 5;

/** Sends a call to the connected system, and classifies what comes back. */
@Injectable()
export class CallSendingService {
  constructor(
    private readonly config: Config,
    private readonly tools: ToolsService,
    private readonly callElicitation: CallElicitationService,
    private readonly log: LogService,
  ) {}

  /** `Deferred`: the delegate has not ended. */
  async send(
    { call, evaluation, wasBegun }: AdmittedCall,
    recipient: OutcomeRecipient,
  ): Promise<AttemptResult | Deferred> {
    const { principal, access, tool, args } = evaluation;
    const longestMs = this.config.limits.callSeconds * 1000;
    // the process stalled since the commit: another process would declare the call lost before an answer arrives
    if (Date.now() + longestMs > call.executingUntil.getTime())
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
      const { reason, originalHash: resultHash, ...result } = await raceWithSignal(sending, signal);
      const { isError, outside: isForeign, notice } = result;
      const record = { isForeign, result, resultHash, notice };
      if (isError)
        return {
          state: 'failed',
          code: 'upstream-failed',
          reason: toStorableReason(reason ?? firstText(result)),
          ...record,
        };
      return { state: 'succeeded', code: null, reason: null, ...record };
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
    const notice = error instanceof CallFault ? error.notice : undefined;
    const noResult = { isForeign, result: null, notice };
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
}

/**
 * A disconnected caller cancels only reads. A call that changes something runs to its end: if canceled halfway, its
 * outcome would be unknown. A retry of the same call finds the outcome.
 */
const callerSignal = ({ effect, retryKey }: ToolCall, { signal }: OutcomeRecipient): AbortSignal | undefined =>
  effect === 'read' && !retryKey ? signal : undefined;

/** For built-in tools, whose text is trusted. */
const firstText = ({ content }: ToolResult): string =>
  content.find((part) => part.type === 'text')?.text || 'The tool failed without giving a reason.';

const maxReasonLength = 1000;

/** A single line that people can read and PostgreSQL can store, cut to a bounded length. */
const toStorableReason = (text: string): string => toSingleLine(text.slice(0, maxReasonLength));
