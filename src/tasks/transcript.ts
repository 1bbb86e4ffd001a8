import type { CallRequest, CallReport, TranscriptItem, Turn } from '../agent/agent-model.service.js';
import type { ItemRow } from './tasks.sql.js';

/* A transcript is a list of rows; which calls are still open follows from it, so that nothing else has to be kept. */

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

export const resultItem = (ref: string, outcome: CallReport): TranscriptItem => ({ kind: 'result', ref, outcome });

/** Calls of the model that have no result yet, in the order asked. */
export function openCalls(transcript: readonly TranscriptItem[]): CallRequest[] {
  const answered = new Set(transcript.flatMap((item) => (item.kind === 'result' ? [item.ref] : [])));
  return transcript.flatMap((item) =>
    item.kind === 'turn' ? item.calls.filter((call) => !answered.has(call.ref)) : [],
  );
}
