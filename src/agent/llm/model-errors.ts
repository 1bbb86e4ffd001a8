import { APICallError } from 'ai';
import { type OutboundHttpErrorCode, OutboundHttpError } from '../../platform/http/outbound-http.error.js';
import { Problem } from '../../platform/errors/problem.js';

/** Beyond this a model that asks for patience counts as unavailable; a task of somebody else gets its turn. */
const maxWaitMs = 30_000;
const backoffMs = [1_000, 3_000];

/** Milliseconds until the turn may be tried again, or null where trying again is of no use. Turns have no effects of their own. */
export function retryAfter(error: unknown, attempt: number, now = Date.now()): number | null {
  const backoff = backoffMs[attempt];
  if (backoff === undefined || !isTransient(error)) return null;
  const asked = APICallError.isInstance(error) ? requestedWaitMs(error.responseHeaders ?? {}, now) : null;
  if (asked === null) return backoff;
  return asked <= maxWaitMs ? asked : null;
}

function isTransient(error: unknown): boolean {
  if (APICallError.isInstance(error)) return error.isRetryable;
  if (error instanceof OutboundHttpError) return transientFaults.has(error.code);
  return !(error instanceof ModelTimeout || error instanceof UnusableReply);
}

const transientFaults = new Set<OutboundHttpErrorCode>(['connect-failed', 'name-unknown', 'broken']);

/** `Retry-After` in seconds or as a date (RFC 9110, 10.2.3), or the vendors' `retry-after-ms`. */
function requestedWaitMs(headers: Record<string, string>, now: number): number | null {
  const precise = Number.parseFloat(headers['retry-after-ms'] ?? '');
  if (precise >= 0) return precise;
  const value = headers['retry-after'];
  if (!value) return null;
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? null : Math.max(0, ms);
}

export class ModelTimeout extends Error {
  constructor(cause?: unknown) {
    super('The language model did not answer in time', { cause });
  }
}

/** The model answered, but with nothing that a task can go on with. */
export class UnusableReply extends Error {}

/** What the caller is told. The vendor's own words may name accounts and quotas; they go to the log alone. */
export function explainModelError(error: unknown): string {
  if (error instanceof ModelTimeout || error instanceof UnusableReply) return `${error.message}.`;
  const status = APICallError.isInstance(error) ? error.statusCode : undefined;
  if (status === 401 || status === 403) return 'The language model refuses the credentials of this configuration.';
  if (status === 404) return 'The language model of this configuration does not exist at its address.';
  if (status === 429) return 'The language model takes no more requests at the moment.';
  if (status === 400 || status === 413 || status === 422)
    return 'The language model does not accept the request; the task may be too long for it.';
  if (status !== undefined && status >= 500) return `The language model answers with an error (${status}).`;
  if (error instanceof Problem && error.code === 'model-cap-reached')
    return 'The budget of this month for the language model is used up.';
  if (error instanceof Problem) return 'The language model of this configuration is not there any more.';
  if (error instanceof OutboundHttpError && error.code === 'address-refused')
    return 'The address of the language model may not be reached from here.';
  return 'The language model cannot be reached, or breaks off its answer.';
}

const loggedCharacters = 500;

/** Without what was sent: prompts hold the organization's knowledge. */
export function toLoggableError(error: unknown): object {
  if (!APICallError.isInstance(error)) return { err: error };
  const { message, statusCode, url, responseBody } = error;
  return { failure: { message, statusCode, url, responseBody: responseBody?.slice(0, loggedCharacters) } };
}
