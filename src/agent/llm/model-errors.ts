import { APICallError } from 'ai';
import { type OutboundHttpErrorCode, OutboundHttpError } from '../../platform/http/outbound-http.error.js';
import { retryAfterIn } from '../../platform/http/retry-after.js';
import { Problem } from '../../platform/errors/problem.js';

/** A model that requests a longer wait counts as unavailable, so that the worker can run other tasks. */
const maxWaitMs = 30_000;
const backoffMs = [1_000, 3_000];

/** Milliseconds until a retry. Null: a retry does not help. Retries are safe because turns have no side effects. */
export function retryAfter(error: unknown, attempt: number, now = Date.now()): number | null {
  const backoff = backoffMs[attempt];
  if (backoff === undefined || !isTransient(error)) return null;
  const requested = APICallError.isInstance(error) ? requestedWaitMs(error.responseHeaders ?? {}, now) : null;
  if (requested === null) return backoff;
  return requested <= maxWaitMs ? requested : null;
}

function isTransient(error: unknown): boolean {
  if (APICallError.isInstance(error)) return error.isRetryable;
  if (error instanceof OutboundHttpError) return transientFaults.has(error.code);
  return !(error instanceof ModelTimeout || error instanceof UnusableReply);
}

const transientFaults = new Set<OutboundHttpErrorCode>(['connect-failed', 'name-unknown', 'broken']);

/** `Retry-After`, or the vendors' more precise `retry-after-ms`. */
function requestedWaitMs(headers: Record<string, string>, now: number): number | null {
  const precise = Number.parseFloat(headers['retry-after-ms'] ?? '');
  if (precise >= 0) return precise;
  const at = retryAfterIn(new Headers(headers), now);
  return at ? Math.max(0, at.getTime() - now) : null;
}

export class ModelTimeout extends Error {
  constructor(cause?: unknown) {
    super('The language model did not answer in time', { cause });
  }
}

/** The model answered, but a task cannot continue with its answer. */
export class UnusableReply extends Error {}

/** The explanation for the caller. The vendor's message may reveal accounts and quotas, so it goes only to the log. */
export function explainModelError(error: unknown): string {
  if (error instanceof ModelTimeout || error instanceof UnusableReply) return `${error.message}.`;
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  if (status === 401 || status === 403) return 'The language model rejected the credentials of this configuration.';
  if (status === 404) return 'The language model of this configuration does not exist at its URL.';
  if (status === 429) return 'The language model is rate limited at the moment. Try again later.';
  if (status === 400 || status === 413 || status === 422)
    return 'The language model rejected the request. The task may be too long for it.';
  if (status !== undefined && status >= 500) return `The language model returned an error (${status}).`;
  if (error instanceof Problem && error.code === 'model-cap-reached')
    return 'This month’s budget for the language model is used up.';
  if (error instanceof Problem) return 'The language model of this configuration no longer exists.';
  if (error instanceof OutboundHttpError && error.code === 'address-refused')
    return 'The server does not allow connections to the address of the language model.';
  return 'The language model cannot be reached, or its answer was interrupted.';
}

const loggedCharacters = 500;

/** Omits the request, because prompts contain the organization's knowledge. */
export function toLoggableError(error: unknown): object {
  if (!APICallError.isInstance(error)) return { err: error };
  const { message, statusCode, url, responseBody } = error;
  return { failure: { message, statusCode, url, responseBody: responseBody?.slice(0, loggedCharacters) } };
}
