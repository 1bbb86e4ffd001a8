import { setTimeout as after } from 'node:timers/promises';
import { isInputRequiredResult, type InputRequiredResult } from '@modelcontextprotocol/client';
import type { JsonObject } from '../platform/json/strict-json.js';
import { NotSent } from '../connections/connections.error.js';
import type { Conversation } from '../connections/conversation.port.js';
import { failureMessageOf } from '../platform/errors/failure-message.js';
import { capabilityProfileOf } from './capability-profile.js';
import { toInputRequest } from './input-requests.js';

const maxRounds = 10;
const maxInputRequests = 20;
/** Delay before retrying a request for a server that asks for a retry without questions. */
const retryPauseMs = 500;

/** What a retried request adds to the first one (MCP 2026-07-28, multi-round-trip requests). */
type RetryParams = { inputResponses?: Record<string, JsonObject>; requestState?: string };

/**
 * Repeats a request until it is answered, and forwards the server's questions to the caller in between. A server that
 * asks has not executed the call yet, so any failure here is `NotSent`.
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
    if (round > maxRounds) throw new NotSent(`The server asked the caller more than ${maxRounds} times.`);
    if (!conversation)
      throw new NotSent('The server requires further input from a person, which is not possible here.');
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
    throw new NotSent(`The server asks more than ${maxInputRequests} questions at once.`);
  const questions = Object.fromEntries(
    inputEntries.map(([name, question]) => [name, toInputRequest(question, profile)]),
  );
  try {
    // the state is opaque and is returned unchanged
    const state = requestState !== undefined && { requestState };
    if (inputEntries.length) return { inputResponses: await conversation.ask(questions, signal), ...state };
    await after(retryPauseMs, undefined, { signal });
    return { ...state };
  } catch (error) {
    throw new NotSent(failureMessageOf(error), { cause: error });
  }
}
