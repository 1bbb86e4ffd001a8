import type { JsonValue } from '../platform/json/strict-json.js';
import type { TaskFailureCode, Part, TurnEnd } from './agent-model.port.js';
import type { AnsweredCall } from './conversation.js';
import { readTool, searchTool } from './passages.js';

/** Knowledge calls appear as citations; all other calls appear in the receipt. */
export const isActionCall = ({ tool }: { tool: string }) => tool !== searchTool && tool !== readTool;

/** A machine-readable list of the calls, with the arguments that ran, and who edited them. */
export function receiptPart(calls: readonly AnsweredCall[]): Part {
  return {
    data: {
      kind: 'receipt',
      calls: calls.map(({ tool, arguments: source, outcome }) => ({
        callId: outcome.callId,
        tool,
        ...(outcome.edit
          ? { arguments: outcome.edit.arguments, requested: parseOrKeep(source), editedBy: outcome.edit.editedBy }
          : { arguments: parseOrKeep(source) }),
        outcome: outcome.state,
        ...(outcome.isOverridden ? { approvalOverridden: true } : {}),
        ...(outcome.result?.url ? { url: outcome.result.url } : {}),
      })),
    },
  };
}

/** The gate denies arguments that are not JSON. The receipt shows them unchanged. */
function parseOrKeep(source: string): JsonValue {
  try {
    return JSON.parse(source) as JsonValue;
  } catch {
    return source;
  }
}

const denialFailureCodes: Record<string, TaskFailureCode> = {
  'approval-denied': 'approval-denied',
  'approval-expired': 'approval-expired',
  'approval-unreachable': 'approval-unreachable',
};

/** The failure code of a task because of this call. Null: the call does not fail the task. */
export function failureCode({ outcome }: AnsweredCall): TaskFailureCode | null {
  switch (outcome.state) {
    case 'denied':
      return denialFailureCodes[outcome.code ?? ''] ?? 'policy-denied';
    case 'failed':
      return 'upstream-failed';
    case 'unsettled':
      return 'outcome-unsettled';
    default:
      return null;
  }
}

/** Most severe first: unknown outcomes, then denials, then failures. */
const severityOrder: TaskFailureCode[] = [
  'outcome-unsettled',
  'approval-denied',
  'approval-expired',
  'approval-unreachable',
  'policy-denied',
  'upstream-failed',
  'model-unavailable',
];

/** The end of a task if one of the decisive calls did not succeed. The detail also names the calls that succeeded. */
export function failedEnd(calls: readonly AnsweredCall[], all = calls): TurnEnd | null {
  const failed = calls
    .map((call) => ({ call, code: failureCode(call) }))
    .filter((entry): entry is { call: AnsweredCall; code: TaskFailureCode } => entry.code !== null)
    .sort((one, other) => severityOrder.indexOf(one.code) - severityOrder.indexOf(other.code));
  if (!failed.length) return null;
  const [{ call, code }] = failed;
  const done = all.filter((other) => other.outcome.state === 'succeeded' && isActionCall(other));
  const detail = [...failed.map(({ call: other }) => describeCall(other)), ...done.map(describeCall)].join(' ');
  return { state: 'failed', code, detail, callId: call.outcome.callId };
}

export function describeCall({ tool, outcome }: AnsweredCall): string {
  const reason = outcome.reason ? `: ${outcome.reason.replace(/[.\s]+$/, '')}` : '';
  const id = `(call ${outcome.callId})`;
  switch (outcome.state) {
    case 'succeeded':
      return `${tool} succeeded ${id}.`;
    case 'denied':
      return `${tool} was denied${reason} ${id}.`;
    case 'failed':
      return `${tool} failed${reason} ${id}.`;
    case 'unsettled':
      return `${tool} may or may not have taken effect${reason} ${id}.`;
    default:
      return `${tool} is not finished ${id}.`;
  }
}
