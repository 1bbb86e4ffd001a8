import type { AgentModel, CallRequest, ListedTool, Turn, TurnEnd, TurnInput } from '../agent-model.service.js';
import { type AnsweredCall, type Exchange, exchanges, nextRef, outcomeOf, outcomes } from '../conversation.js';
import { failedEnd, sentence } from '../receipt.js';
import { plan } from './plan.js';
import { asking } from './question.js';
import { artifacts, type CalledExchange } from './report.js';

/**
 * A model without a language model: it quotes what it finds, does what is spelled out, and asks for everything else.
 * The same transcript and tools always lead to the same turn.
 */
export class BuiltinModel implements AgentModel {
  readonly id = 'builtin';

  async next(input: TurnInput, signal: AbortSignal): Promise<Turn> {
    signal.throwIfAborted();
    const list = exchanges(input.transcript);
    const open = list.find((exchange) => !exchange.isTaken);
    if (!open) return { calls: [], end: await end(withOutcomes(list, outcomes(input.transcript)), input.tools) };
    const next = await plan(open, input.tools);
    if (!('calls' in next)) return { calls: [], end: withDone(next, list, input.transcript) };
    return {
      calls: next.calls.map((call, position): CallRequest => ({ ref: nextRef(input.transcript, position), ...call })),
    };
  }
}

const withOutcomes = (list: readonly Exchange[], byRef: ReturnType<typeof outcomes>): CalledExchange[] =>
  list.map((exchange) => ({
    exchange,
    calls: exchange.calls.map((call) => ({ ...call, outcome: outcomeOf(call, byRef) })),
  }));

/** Every message has been taken up and every call has its result. */
async function end(called: readonly CalledExchange[], tools: TurnInput['tools']): Promise<TurnEnd> {
  const current = called.map(withoutCorrected);
  const calls = current.flatMap((entry) => entry.calls);
  const wrong = calls.find(isCorrectable);
  if (wrong) return correction(wrong, calls, await tools());
  return failedEnd(calls) ?? { state: 'completed', artifacts: artifacts(current) };
}

/** What was refused in a message that was then asked about again no longer counts; what it had done does. */
const withoutCorrected = ({ exchange, calls }: CalledExchange): CalledExchange => ({
  exchange,
  calls: exchange.question === undefined ? calls : calls.filter((call) => !isCorrectable(call)),
});

/** A question back must not hide what an earlier message has already led to. */
function withDone(next: TurnEnd, list: readonly Exchange[], transcript: TurnInput['transcript']): TurnEnd {
  const called = withOutcomes(list, outcomes(transcript)).flatMap(({ calls }) => calls);
  if (next.state !== 'input-required' || !called.length) return next;
  return {
    ...next,
    question: `${called.map(sentence).join(' ')}

${next.question}`,
  };
}

/** Refused before anything ran, in a way that the caller can put right. */
const isCorrectable = ({ outcome }: AnsweredCall) => outcome.state === 'denied' && outcome.code === 'invalid-arguments';

function correction(wrong: AnsweredCall, calls: readonly AnsweredCall[], tools: readonly ListedTool[]): TurnEnd {
  const done = calls.filter(({ outcome }) => outcome.state === 'succeeded').map(sentence);
  const named = tools.filter(({ name }) => name === wrong.tool);
  return asking([sentence(wrong), ...done].join(' '), named.length ? named : tools);
}
