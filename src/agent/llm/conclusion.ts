import type { ListedTool, TurnEnd } from '../agent-model.port.js';
import { type AnsweredCall, isOfSameTurn } from '../conversation.js';
import { listCitables, citationsPart } from '../passages.js';
import { failedEnd, isActionCall, receiptPart } from '../receipt.js';
import { renumberCitations } from './citations.js';

/**
 * Whether the request was met is decided by what happened, not by what the model says of it: an unsettled write never counts
 * as met, and neither does a task whose last deeds did not all succeed.
 */
export function concludeTask(text: string, calls: readonly AnsweredCall[], tools: readonly ListedTool[]): TurnEnd {
  const reads = new Set(tools.filter(({ effect }) => effect === 'read').map(({ name }) => name));
  const deeds = calls.filter((call) => isActionCall(call));
  const writes = deeds.filter(({ tool: name }) => !reads.has(name));
  const last = writes.at(-1);
  const decisive = writes.filter((call) => call.outcome.state === 'unsettled' || isOfSameTurn(call, last));
  const failed = failedEnd(decisive, deeds);
  if (failed?.state === 'failed') return { ...failed, detail: `${failed.detail} ${text}`.trim() };
  const answer = renumberCitations(text, listCitables(calls));
  const parts = [
    { text: answer.text },
    ...(answer.quotes.length ? [citationsPart(answer.quotes)] : []),
    ...(deeds.length ? [receiptPart(deeds)] : []),
  ];
  return { state: 'completed', artifacts: [{ artifactId: '1', name: 'answer', parts }] };
}
