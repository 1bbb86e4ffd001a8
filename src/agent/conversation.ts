import type { CallReport, ModelToolCall, Part, TranscriptItem } from './agent-model.port.js';

export interface AnsweredCall extends ModelToolCall {
  outcome: CallReport;
}

/** One message of the caller with the calls and the question that it led to. */
export interface MessageExchange {
  parts: Part[];
  /** The exchange whose question this message answers. */
  follows?: MessageExchange;
  isHandled: boolean;
  calls: ModelToolCall[];
  question?: string;
}

/**
 * Groups a transcript into exchanges. A message may arrive while an earlier one waits for an approval. A turn therefore
 * belongs to the oldest unhandled message, or to the latest exchange if all messages are handled.
 */
export function readExchanges(transcript: readonly TranscriptItem[]): MessageExchange[] {
  const list: MessageExchange[] = [];
  for (const item of transcript) {
    if (item.kind === 'message' && !item.isDelegateReply) {
      const last = list.at(-1);
      list.push({ parts: item.parts, follows: last?.question ? last : undefined, isHandled: false, calls: [] });
    }
    if (item.kind === 'turn') {
      const exchange = list.find((candidate) => !candidate.isHandled) ?? list.at(-1);
      if (!exchange) throw new Error('A transcript must begin with a message');
      exchange.isHandled = true;
      exchange.calls.push(...item.calls);
      if (item.question !== undefined) exchange.question = item.question;
    }
  }
  return list;
}

export function outcomesByRef(transcript: readonly TranscriptItem[]): Map<string, CallReport> {
  const byRef = new Map<string, CallReport>();
  for (const item of transcript) if (item.kind === 'result') byRef.set(item.ref, item.outcome);
  return byRef;
}

/** Every call of the transcript with its outcome, in order. */
export function answeredCalls(transcript: readonly TranscriptItem[]): AnsweredCall[] {
  const byRef = outcomesByRef(transcript);
  return transcript.flatMap((item) =>
    item.kind === 'turn' ? item.calls.map((call) => ({ ...call, outcome: requireOutcome(call, byRef) })) : [],
  );
}

export function requireOutcome(call: ModelToolCall, byRef: ReadonlyMap<string, CallReport>): CallReport {
  const outcome = byRef.get(call.ref);
  if (!outcome) throw new Error(`Call ${call.ref} of ${call.tool} has no result yet`);
  return outcome;
}

/** Counts references instead of generating random ones, so that the same transcript always produces the same turn. */
export function nextRef(transcript: readonly TranscriptItem[], position: number): string {
  const turns = transcript.filter((item) => item.kind === 'turn').length;
  return `${turns + 1}-${position + 1}`;
}

const turnOf = (ref: string) => ref.slice(0, ref.indexOf('-'));

export const isOfSameTurn = (one: ModelToolCall, other: ModelToolCall | undefined) =>
  other !== undefined && turnOf(one.ref) === turnOf(other.ref);
