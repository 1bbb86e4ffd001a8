import type { Approval } from '../approvals/approval.entity.js';
import type { DeferredTaskStatus as StandingOfAgent } from '../connections/connections.error.js';
import type { ToolResult } from '../connections/tools.service.js';
import type { InvalidField } from '../platform/errors/problem.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import type { DenialCode } from './refusal.js';
import type { ToolCall } from './tool-call.entity.js';

/**
 * `account-needed`: the person has to connect an account of their own first, on the page `connectUrl`. `capability-needed`: the
 * connected system wanted to ask the caller's client for something that it has not declared.
 */
export type CallFailureCode = 'upstream-failed' | 'account-needed' | 'capability-needed';

/** What a call was not sent for want of. */
export interface CallPrerequisites {
  connectUrl?: string;
  /** As a client declares them (MCP, client capabilities). */
  requiredCapabilities?: JsonObject;
}

/**
 * `replayed`: the same call was made before, and this is what became of it then. `isKept`: the task's transcript has it, by
 * the transaction that recorded it.
 */
export type CallOutcome = {
  callId: string;
  tool: string;
  replayed?: boolean;
  isInTranscript?: boolean;
  /** Holds words of another system, or may, in the reason too: a task that meets it is tainted. */
  isForeign?: boolean;
} & (
  | { state: 'succeeded'; result: ToolResult; replayed: boolean }
  | { state: 'denied'; code: DenialCode; reason: string; faults?: InvalidField[] }
  | { state: 'awaiting_approval'; approvalId: string; expiresAt: Date; reason: string; notFourEyes: boolean }
  /** `deferred`: the status at the agent that works on it. `pollSeconds`: until it is to be polled again. */
  | { state: 'executing'; deferred?: StandingOfAgent; pollSeconds?: number }
  | ({ state: 'failed'; code: CallFailureCode; reason: string; result?: ToolResult } & CallPrerequisites)
  | { state: 'unsettled'; reason: string }
);

/** The only place that says what happens after an unknown outcome: every reason of an unsettled call begins with it. */
export const unknownOutcome =
  'The call was sent, and its outcome is unknown. It is not repeated automatically: a person has to settle it.';

export const confirmedResult: ToolResult = {
  content: [{ type: 'text', text: 'A person found that the call took effect. Its answer is not known.' }],
  isError: false,
  outside: false,
};

/** Of a call that has ended, or is under way. */
export function toCallOutcome(call: ToolCall, result: ToolResult | null, replayed: boolean): CallOutcome {
  const outcome = toOutcomeState(call, result, replayed);
  return call.isForeign ? { ...outcome, isForeign: true } : outcome;
}

function toOutcomeState(call: ToolCall, result: ToolResult | null, replayed: boolean): CallOutcome {
  const { id: callId, tool, reason } = call;
  switch (call.state) {
    case 'succeeded':
      return { callId, tool, state: 'succeeded', result: result ?? confirmedResult, replayed };
    case 'denied':
      return { callId, tool, state: 'denied', code: call.code as DenialCode, reason: reason ?? '', replayed };
    case 'failed':
      return {
        callId,
        tool,
        state: 'failed',
        code: call.code as CallFailureCode,
        reason: reason ?? '',
        ...(result ? { result } : {}),
        replayed,
      };
    case 'unsettled':
      return { callId, tool, state: 'unsettled', reason: reason ?? unknownOutcome, replayed };
    default:
      return { callId, tool, state: 'executing' };
  }
}

/** Points at the first step that is still open. */
export function awaitingOutcome({ id: callId, tool }: ToolCall, approvals: Approval[], reason: string): CallOutcome {
  const { id: approvalId, expiresAt, notFourEyes } = approvals.find(({ state }) => state === 'pending') ?? approvals[0];
  return { callId, tool, state: 'awaiting_approval', approvalId, expiresAt, reason, notFourEyes };
}
