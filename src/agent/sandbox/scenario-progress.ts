import type { Part, TranscriptItem } from '../agent-model.port.js';

type Message = Extract<TranscriptItem, { kind: 'message' }>;

/** What is being played: since which message, how many steps of it were taken, and what came in reply to its questions. */
export interface ScenarioProgress {
  message: Message;
  step: number;
  answer: readonly Part[];
}

/**
 * The message that asks for a life begins an act, and so does a reply that asks for one itself. What comes while a person is
 * waited for is no reply.
 */
export function readProgress(
  transcript: readonly TranscriptItem[],
  isAsking: (message: Message) => boolean,
): ScenarioProgress {
  let act: ScenarioProgress | undefined;
  let isAwaited = false;
  for (const item of transcript) {
    if (item.kind === 'turn' && act) {
      act.step += 1;
      isAwaited = item.question !== undefined;
    }
    if (item.kind !== 'message' || (act && !isAwaited)) continue;
    if (!act || isAsking(item)) act = { message: item, step: 0, answer: [] };
    else act.answer = item.parts;
    isAwaited = false;
  }
  if (!act) throw new Error('A transcript begins with a message');
  return act;
}
