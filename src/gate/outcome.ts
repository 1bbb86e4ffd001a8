import type { Approval } from '../approvals/approval.entity.js';
import type { DeferredTaskStatus } from '../connections/connections.error.js';
import type { ToolResult } from '../connections/tools.service.js';
import type { InvalidField } from '../platform/errors/problem.js';
import type { JsonObject } from '../platform/json/strict-json.js';
import type { DenialCode } from './refusal.js';
import type { LedgerCall } from './call-state.js';
import type { ToolCall } from './tool-call.entity.js';

/**
 * `account-needed`: the person has to connect their own account first, on the page `connectUrl`. `capability-needed`:
 * the connected system needs a client capability that the caller's client has not declared.
 */
export type CallFailureCode = 'upstream-failed' | 'account-needed' | 'capability-needed';

/** The missing prerequisites of a call that was not sent. */
export interface CallPrerequisites {
  connectUrl?: string;
  /** In the form of MCP client capabilities. */
  requiredCapabilities?: JsonObject;
}

/** What people changed in the arguments of the call before they approved it. */
export interface CallEdit {
  /** Their names, in the order of the edits. */
  editedBy: string[];
  /** The arguments that were approved. */
  arguments: JsonObject;
  /** For the caller: who edited what. Also part of the result or the reason. */
  text: string;
}

/**
 * `replayed`: the outcome of an identical earlier call. `isInTranscript`: the transaction that recorded the outcome
 * also added it to the task's transcript.
 */
export type CallOutcome = {
  callId: string;
  tool: string;
  replayed?: boolean;
  isInTranscript?: boolean;
  /** The result or reason may contain text of another system: it taints a task that reads it. */
  isForeign?: boolean;
  edit?: CallEdit;
  /** A member with break-glass rights overrode a pending approval of the call. */
  isOverridden?: boolean;
} & (
  | { state: 'succeeded'; result: ToolResult; replayed: boolean }
  | { state: 'denied'; code: DenialCode; reason: string; faults?: InvalidField[] }
  | { state: 'awaiting_approval'; approvalId: string; expiresAt: Date; reason: string; selfApproved: boolean }
  /** `deferred`: the status reported by the delegate. `pollSeconds`: the delay until the next poll. */
  | { state: 'executing'; deferred?: DeferredTaskStatus; pollSeconds?: number }
  | ({ state: 'failed'; code: CallFailureCode; reason: string; result?: ToolResult } & CallPrerequisites)
  | { state: 'unsettled'; reason: string }
);

/** The reason of every unsettled call begins with this text. */
export const unknownOutcome =
  'The call was sent, and its outcome is unknown. It is not repeated automatically: a person has to resolve it.';

export const confirmedResult: ToolResult = {
  content: [{ type: 'text', text: 'A person confirmed that the call took effect. Its result is unknown.' }],
  isError: false,
  outside: false,
};

/** For a call that has ended or is running. */
export function toCallOutcome(call: LedgerCall, result: ToolResult | null, replayed: boolean): CallOutcome {
  const outcome = toOutcomeState(call, result, replayed);
  return {
    ...outcome,
    ...(call.isForeign ? { isForeign: true } : {}),
    ...(call.isOverridden ? { isOverridden: true } : {}),
  };
}

function toOutcomeState(call: LedgerCall, result: ToolResult | null, replayed: boolean): CallOutcome {
  const { id: callId, tool } = call;
  switch (call.state) {
    case 'succeeded':
      return { callId, tool, state: 'succeeded', result: result ?? confirmedResult, replayed };
    case 'denied':
      return { callId, tool, state: 'denied', code: call.code as DenialCode, reason: call.reason, replayed };
    case 'failed':
      return {
        callId,
        tool,
        state: 'failed',
        code: call.code as CallFailureCode,
        reason: call.reason,
        ...(result ? { result } : {}),
        replayed,
      };
    case 'unsettled':
      return { callId, tool, state: 'unsettled', reason: call.reason, replayed };
    default:
      return { callId, tool, state: 'executing' };
  }
}

/** Another process has just started the call. */
export const executingOutcome = ({ id: callId, tool, isForeign }: ToolCall): CallOutcome => ({
  callId,
  tool,
  state: 'executing',
  ...(isForeign ? { isForeign } : {}),
});

/** Refers to the first pending approval. */
export function awaitingOutcome({ id: callId, tool }: ToolCall, approvals: Approval[], reason: string): CallOutcome {
  const {
    id: approvalId,
    expiresAt,
    selfApproved,
  } = approvals.find(({ state }) => state === 'pending') ?? approvals[0];
  return { callId, tool, state: 'awaiting_approval', approvalId, expiresAt, reason, selfApproved };
}
