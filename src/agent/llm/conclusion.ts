import type { ListedTool, TurnEnd } from '../agent-model.port.js';
import { type AnsweredCall, isOfSameTurn } from '../conversation.js';
import { listCitables, citationsPart } from '../passages.js';
import { failedEnd, isActionCall, receiptPart } from '../receipt.js';
import { renumberCitations } from './citations.js';

/**
 * Decides success by the outcomes of the calls, not by the model's own statement. A task fails if a write is unsettled or if
 * one of the writes of the last writing turn did not succeed.
 */
export function concludeTask(text: string, calls: readonly AnsweredCall[], tools: readonly ListedTool[]): TurnEnd {
  const reads = new Set(tools.filter(({ effect }) => effect === 'read').map(({ name }) => name));
  const actions = calls.filter((call) => isActionCall(call));
  const writes = actions.filter(({ tool: name }) => !reads.has(name));
  const last = writes.at(-1);
  const decisive = writes.filter((call) => call.outcome.state === 'unsettled' || isOfSameTurn(call, last));
  const failed = failedEnd(decisive, actions);
  if (failed?.state === 'failed') return { ...failed, detail: `${failed.detail} ${text}`.trim() };
  const answer = renumberCitations(text, listCitables(calls));
  const parts = [
    { text: answer.text },
    ...(answer.quotes.length ? [citationsPart(answer.quotes)] : []),
    ...(actions.length ? [receiptPart(actions)] : []),
  ];
  return { state: 'completed', artifacts: [{ artifactId: '1', name: 'answer', parts }] };
}
