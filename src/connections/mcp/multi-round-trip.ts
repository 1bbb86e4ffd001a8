import { setTimeout as after } from 'node:timers/promises';
import { isInputRequiredResult, type InputRequiredResult } from '@modelcontextprotocol/client';
import type { JsonObject } from '../../platform/json/strict-json.js';
import { NotSent } from '../connections.error.js';
import type { Conversation } from '../conversation.js';
import { failureMessageOf } from '../deadline.js';
import { capabilityProfileOf } from './capability-profile.js';
import { toInputRequest } from './input-requests.js';

const maxRounds = 10;
const maxInputRequests = 20;
/** Before a server is asked again that only wants to be asked again. */
const retryPauseMs = 500;

/** What a repeated request carries beside what it carried the first time (MCP 2026-07-28, multi-round-trip requests). */
type RetryParams = { inputResponses?: Record<string, JsonObject>; requestState?: string };

/**
 * Makes a request until it is answered, putting to the caller in between what the server wants to know. As long as it asks, the
 * server has not done what it was called for: whatever goes wrong with that is `NotSent`.
 */
export async function requestUntilAnswered<T extends object>(
  request: (retryParams: RetryParams) => Promise<T | InputRequiredResult>,
  conversation: Conversation | undefined,
  signal: AbortSignal,
): Promise<T> {
  let retryParams: RetryParams = {};
  for (let round = 1; ; round++) {
    const answer = await request(retryParams);
    if (!isInputRequiredResult(answer)) return answer;
    if (round > maxRounds) throw new NotSent(`The server asked the caller ${maxRounds} times, and then once more.`);
    if (!conversation) throw new NotSent('The server asks for further input by a person, which cannot be given here.');
    retryParams = await answerInputRequests(answer, conversation, signal);
  }
}

async function answerInputRequests(
  { inputRequests = {}, requestState }: InputRequiredResult,
  conversation: Conversation,
  signal: AbortSignal,
): Promise<RetryParams> {
  const profile = capabilityProfileOf(conversation);
  const inputEntries = Object.entries(inputRequests);
  if (inputEntries.length > maxInputRequests)
    throw new NotSent(`The server asks more than ${maxInputRequests} things at once.`);
  const questions = Object.fromEntries(
    inputEntries.map(([name, question]) => [name, toInputRequest(question, profile)]),
  );
  try {
    // the state is the server's own: it goes back as it came
    const state = requestState !== undefined && { requestState };
    if (inputEntries.length) return { inputResponses: await conversation.ask(questions, signal), ...state };
    await after(retryPauseMs, undefined, { signal });
    return { ...state };
  } catch (error) {
    throw new NotSent(failureMessageOf(error), { cause: error });
  }
}
