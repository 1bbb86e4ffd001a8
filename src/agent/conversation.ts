import type { CallReport, ModelToolCall, Part, TranscriptItem } from './agent-model.port.js';

export interface AnsweredCall extends ModelToolCall {
  outcome: CallReport;
}

/** One message of the caller, the calls it led to, and the question it was answered with. */
export interface MessageExchange {
  parts: Part[];
  /** The exchange whose question this message answers. */
  follows?: MessageExchange;
  isHandled: boolean;
  calls: ModelToolCall[];
  question?: string;
}

/**
 * Reads a transcript as exchanges. A message may arrive while an earlier one still waits for an approval; turns therefore
 * belong to the oldest message that no turn has taken up yet, and a turn beyond that closes the latest exchange.
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
      if (!exchange) throw new Error('A transcript begins with a message');
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

/** Every call of the transcript with its outcome, in the order asked. */
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

/** References are counted, not drawn, so that the same transcript always leads to the same turn. */
export function nextRef(transcript: readonly TranscriptItem[], position: number): string {
  const turns = transcript.filter((item) => item.kind === 'turn').length;
  return `${turns + 1}-${position + 1}`;
}

const turnOf = (ref: string) => ref.slice(0, ref.indexOf('-'));

export const isOfSameTurn = (one: ModelToolCall, other: ModelToolCall | undefined) =>
  other !== undefined && turnOf(one.ref) === turnOf(other.ref);
