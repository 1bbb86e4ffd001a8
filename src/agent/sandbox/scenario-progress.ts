import type { Part, TranscriptItem } from '../agent-model.port.js';

type Message = Extract<TranscriptItem, { kind: 'message' }>;

/** The current scenario: its first message, the number of completed steps, and the reply to its last question. */
export interface ScenarioProgress {
  message: Message;
  step: number;
  answer: readonly Part[];
}

/**
 * A message that requests a scenario starts it, and so does a reply that requests another one. A message that arrives during
 * an approval is not a reply.
 */
export function readProgress(
  transcript: readonly TranscriptItem[],
  requestsScenario: (message: Message) => boolean,
): ScenarioProgress {
  let current: ScenarioProgress | undefined;
  let isAwaited = false;
  for (const item of transcript) {
    if (item.kind === 'turn' && current) {
      current.step += 1;
      isAwaited = item.question !== undefined;
    }
    if (item.kind !== 'message' || (current && !isAwaited)) continue;
    if (!current || requestsScenario(item)) current = { message: item, step: 0, answer: [] };
    else current.answer = item.parts;
    isAwaited = false;
  }
  if (!current) throw new Error('A transcript must begin with a message');
  return current;
}
