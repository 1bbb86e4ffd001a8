import type { JsonValue } from '../platform/json/strict-json.js';
import type { TaskFailureCode, Part, TurnEnd } from './agent-model.port.js';
import type { AnsweredCall } from './conversation.js';
import { readTool, searchTool } from './passages.js';

/** Knowledge shows up as citations, everything else that was done as a line of the receipt. */
export const isActionCall = ({ tool }: { tool: string }) => tool !== searchTool && tool !== readTool;

/** What was done, for the caller's machine. */
export function receiptPart(calls: readonly AnsweredCall[]): Part {
  return {
    data: {
      kind: 'receipt',
      calls: calls.map(({ tool, arguments: source, outcome }) => ({
        callId: outcome.callId,
        tool,
        arguments: parseOrKeep(source),
        outcome: outcome.state,
        ...(outcome.result?.url ? { url: outcome.result.url } : {}),
      })),
    },
  };
}

/** The gate refuses what is no JSON; what it refused is shown as it came. */
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

/** The code a task fails with because of this call, or null where the call succeeded. */
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

/** The gravest first: what nobody knows the outcome of, then what was refused, then what failed. */
const severityOrder: TaskFailureCode[] = [
  'outcome-unsettled',
  'approval-denied',
  'approval-expired',
  'approval-unreachable',
  'policy-denied',
  'upstream-failed',
  'model-unavailable',
];

/** The end of a task where some of the calls that decide did not succeed. The detail tells what did happen, too. */
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

/** One call in one sentence. */
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
