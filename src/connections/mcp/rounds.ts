import { setTimeout as after } from 'node:timers/promises';
import { isInputRequiredResult, type InputRequiredResult } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { NotSent } from '../connections.error.js';
import type { Conversation } from '../conversation.js';
import { messageOf } from '../deadline.js';
import { profileOf } from './profile.js';
import { toQuestion } from './questions.js';

const mostRounds = 10;
const mostQuestions = 20;
/** Before a server is asked again that only wants to be asked again. */
const pauseMs = 500;

/** What a repeated request carries beside what it carried the first time (MCP 2026-07-28, multi-round-trip requests). */
type Reply = { inputResponses?: Record<string, JsonObject>; requestState?: string };

/**
 * Makes a request until it is answered, putting to the caller in between what the server wants to know. As long as it asks, the
 * server has not done what it was called for: whatever goes wrong with that is `NotSent`.
 */
export async function untilAnswered<T extends object>(
  request: (reply: Reply) => Promise<T | InputRequiredResult>,
  conversation: Conversation | undefined,
  signal: AbortSignal,
): Promise<T> {
  let reply: Reply = {};
  for (let round = 1; ; round++) {
    const answer = await request(reply);
    if (!isInputRequiredResult(answer)) return answer;
    if (round > mostRounds) throw new NotSent(`The server asked the caller ${mostRounds} times, and then once more.`);
    if (!conversation) throw new NotSent('The server asks for further input by a person, which cannot be given here.');
    reply = await replyTo(answer, conversation, signal);
  }
}

async function replyTo(
  { inputRequests = {}, requestState }: InputRequiredResult,
  conversation: Conversation,
  signal: AbortSignal,
): Promise<Reply> {
  const profile = profileOf(conversation);
  const asked = Object.entries(inputRequests);
  if (asked.length > mostQuestions) throw new NotSent(`The server asks more than ${mostQuestions} things at once.`);
  const questions = Object.fromEntries(asked.map(([name, question]) => [name, toQuestion(question, profile)]));
  try {
    // the state is the server's own: it goes back as it came
    const state = requestState !== undefined && { requestState };
    if (asked.length) return { inputResponses: await conversation.ask(questions, signal), ...state };
    await after(pauseMs, undefined, { signal });
    return { ...state };
  } catch (error) {
    throw new NotSent(messageOf(error), { cause: error });
  }
}
