import type { AgentModel, ModelToolCall, ListedTool, Turn, TurnEnd, TurnInput } from '../agent-model.port.js';
import {
  type AnsweredCall,
  type MessageExchange,
  readExchanges,
  nextRef,
  requireOutcome,
  outcomesByRef,
} from '../conversation.js';
import { failedEnd, describeCall } from '../receipt.js';
import { planTurn } from './plan.js';
import { askWithTools } from './question.js';
import { buildArtifacts, type ExchangeWithOutcomes } from './report.js';

/**
 * Works without a language model: quotes search results, runs calls that the caller spells out, and otherwise asks back.
 * The same transcript and tools always produce the same turn.
 */
export class BuiltinModel implements AgentModel {
  readonly id = 'builtin';

  async next(input: TurnInput, signal: AbortSignal): Promise<Turn> {
    signal.throwIfAborted();
    const list = readExchanges(input.transcript);
    const open = list.find((exchange) => !exchange.isHandled);
    if (!open)
      return { calls: [], end: await toTaskEnd(withOutcomes(list, outcomesByRef(input.transcript)), input.tools) };
    const next = await planTurn(open, input.tools);
    if (!('calls' in next)) return { calls: [], end: withOutcomeSummary(next, list, input.transcript) };
    return {
      calls: next.calls.map((call, position): ModelToolCall => ({ ref: nextRef(input.transcript, position), ...call })),
    };
  }
}

const withOutcomes = (
  list: readonly MessageExchange[],
  byRef: ReturnType<typeof outcomesByRef>,
): ExchangeWithOutcomes[] =>
  list.map((exchange) => ({
    exchange,
    calls: exchange.calls.map((call) => ({ ...call, outcome: requireOutcome(call, byRef) })),
  }));

/** Every message is handled and every call has its result. */
async function toTaskEnd(called: readonly ExchangeWithOutcomes[], tools: TurnInput['tools']): Promise<TurnEnd> {
  const current = called.map(withoutCorrected);
  const calls = current.flatMap((entry) => entry.calls);
  const wrong = calls.find(isCorrectable);
  if (wrong) return correction(wrong, calls, await tools());
  return failedEnd(calls) ?? { state: 'completed', artifacts: buildArtifacts(current) };
}

/** Drops denied calls of messages that were followed by a question back. Their other calls still count. */
const withoutCorrected = ({ exchange, calls }: ExchangeWithOutcomes): ExchangeWithOutcomes => ({
  exchange,
  calls: exchange.question === undefined ? calls : calls.filter((call) => !isCorrectable(call)),
});

/** A question back must not hide the outcomes of earlier messages. */
function withOutcomeSummary(
  next: TurnEnd,
  list: readonly MessageExchange[],
  transcript: TurnInput['transcript'],
): TurnEnd {
  const called = withOutcomes(list, outcomesByRef(transcript)).flatMap(({ calls }) => calls);
  if (next.state !== 'input-required' || !called.length) return next;
  return {
    ...next,
    question: `${called.map(describeCall).join(' ')}

${next.question}`,
  };
}

/** Denied before anything ran, for a reason that the caller can correct. */
const isCorrectable = ({ outcome }: AnsweredCall) => outcome.state === 'denied' && outcome.code === 'invalid-arguments';

function correction(wrong: AnsweredCall, calls: readonly AnsweredCall[], tools: readonly ListedTool[]): TurnEnd {
  const done = calls.filter(({ outcome }) => outcome.state === 'succeeded').map(describeCall);
  const named = tools.filter(({ name }) => name === wrong.tool);
  return askWithTools([describeCall(wrong), ...done].join(' '), named.length ? named : tools);
}
