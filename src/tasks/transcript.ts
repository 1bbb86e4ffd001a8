import type { ModelToolCall, CallReport, TranscriptItem, Turn } from '../agent/agent-model.port.js';
import type { CallOutcome } from '../gate/gate.service.js';
import type { ItemRow } from './task-items.sql.js';

/* A transcript is a list of rows. The open calls are derived from it, so they need no state of their own. */

export function fromRow({ kind, body }: ItemRow): TranscriptItem {
  return { kind, ...(JSON.parse(body) as object) } as TranscriptItem;
}

export function toRow({ kind, ...body }: TranscriptItem): ItemRow {
  return { kind, body: JSON.stringify(body) };
}

export function turnItem(turn: Turn): TranscriptItem {
  const question = turn.end?.state === 'input-required' ? turn.end.question : undefined;
  return {
    kind: 'turn',
    calls: turn.calls,
    ...(turn.text ? { text: turn.text } : {}),
    ...(question === undefined ? {} : { question }),
  };
}

export const resultItem = (ref: string, outcome: CallOutcome): TranscriptItem => ({
  kind: 'result',
  ref,
  outcome: toCallReport(outcome),
});

/** The part of an outcome that the model receives and the transcript stores. */
function toCallReport(outcome: CallOutcome): CallReport {
  return {
    state: outcome.state,
    callId: outcome.callId,
    ...('code' in outcome ? { code: outcome.code } : {}),
    ...('reason' in outcome ? { reason: outcome.reason } : {}),
    ...('result' in outcome && outcome.result ? { result: outcome.result } : {}),
    ...(outcome.edit ? { edit: { editedBy: outcome.edit.editedBy, arguments: outcome.edit.arguments } } : {}),
    ...(outcome.isOverridden ? { isOverridden: true } : {}),
  };
}

/** A successful or failed call taints the task if its outcome contains external text. */
export const taints = (outcome: CallOutcome): boolean =>
  outcome.isForeign === true || ('result' in outcome && outcome.result?.outside === true);

/** Calls of the model without a result, in request order. */
export function openCalls(transcript: readonly TranscriptItem[]): ModelToolCall[] {
  const answered = new Set(transcript.flatMap((item) => (item.kind === 'result' ? [item.ref] : [])));
  return transcript.flatMap((item) =>
    item.kind === 'turn' ? item.calls.filter((call) => !answered.has(call.ref)) : [],
  );
}

export interface CallCounts {
  /** Since the caller's newest message. */
  ofMessage: number;
  ofTask: number;
}

/** The number of calls that the model has requested. */
export function callCounts(transcript: readonly TranscriptItem[]): CallCounts {
  const newest = transcript.findLastIndex((item) => item.kind === 'message');
  const count = (items: readonly TranscriptItem[]) =>
    items.reduce((sum, item) => sum + (item.kind === 'turn' ? item.calls.length : 0), 0);
  return { ofMessage: count(transcript.slice(newest + 1)), ofTask: count(transcript) };
}
