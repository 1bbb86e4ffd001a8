import { OutboundHttpError } from '../../platform/http/outbound-http.error.js';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import { type VendorSync, VendorError } from '../vendor.js';
import type { CursorEndpoint } from './endpoints.js';
import { isPlainObject, parseResponse } from './parse-response.js';
import { cursorResponseError, cursorError, cursorNetworkError } from './cursor-errors.js';
import { EtagCache } from './etag-cache.js';
import { RequestRateLimit, sleepUntil } from './request-rate-limit.js';
import { retryAfterOf } from './retry-after.js';

export interface CursorTimeouts {
  /** Before another attempt: what the vendor asks clients for. */
  backOffMs: readonly number[];
  /** A longer wait that the vendor asks for is left to whoever pulls. */
  longestWaitMs: number;
  /** Until an answer begins, and the longest silence inside it. */
  answerMs: number;
  /** The same for somebody who waits in front of it. */
  quickAnswerMs: number;
  /** Until it is complete. */
  wholeAnswerMs: number;
  minuteMs: number;
}

export const defaultCursorTimeouts: CursorTimeouts = {
  backOffMs: [1000, 2000, 4000, 8000, 16_000],
  longestWaitMs: 120_000,
  answerMs: 60_000,
  quickAnswerMs: 15_000,
  wholeAnswerMs: 300_000,
  minuteMs: 60_000,
};

export interface CursorRequest {
  query?: Record<string, string | number>;
  body?: object;
}

type RequestOrigin = Pick<VendorSync, 'context' | 'signal'>;
export type CursorResponse = Record<string, unknown>;

/** Asks Cursor's interfaces, within their limits. The key goes into one header and nowhere else. */
export class CursorApi {
  private readonly limits: RequestRateLimit;
  private readonly etagCache = new EtagCache();

  constructor(
    private readonly baseUrl: string,
    private readonly timeouts: CursorTimeouts = defaultCursorTimeouts,
  ) {
    this.limits = new RequestRateLimit(timeouts.minuteMs);
  }

  /** For a pull: waits for its turn, and tries again what may pass. */
  async request(sync: VendorSync, endpoint: CursorEndpoint, request: CursorRequest): Promise<CursorResponse> {
    for (let attempt = 0; ; attempt++) {
      await this.waitForRateLimit(sync, endpoint);
      try {
        sync.onRequest();
        return await this.send(sync, endpoint, request, this.timeouts.answerMs);
      } catch (error) {
        if (!(error instanceof VendorError && error.isTransient)) throw error;
        await this.backOff(sync, error, attempt);
      }
    }
  }

  /** For somebody who waits for the answer: one attempt, now. */
  async requestOnce(
    context: ConnectionContext,
    endpoint: CursorEndpoint,
    request: CursorRequest,
  ): Promise<CursorResponse> {
    const next = this.limits.acquire(apiKeyOf(context, endpoint), endpoint, { isUrgent: true });
    if (next) throw cursorError('rate_limited', endpoint, undefined, next);
    return this.send({ context, signal: context.signal }, endpoint, request, this.timeouts.quickAnswerMs);
  }

  private async waitForRateLimit({ context, signal, onWait }: VendorSync, endpoint: CursorEndpoint): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const next = this.limits.acquire(apiKeyOf(context, endpoint), endpoint);
      if (!next) return;
      onWait(next, 'rate_limited');
      await sleepUntil(next, signal);
    }
  }

  private async backOff({ signal, onWait }: VendorSync, error: VendorError, attempt: number): Promise<void> {
    const { backOffMs, longestWaitMs } = this.timeouts;
    if (attempt === backOffMs.length) throw error;
    const until = new Date(Math.max(Date.now() + backOffMs[attempt], error.retryAfter?.getTime() ?? 0));
    if (until.getTime() - Date.now() > longestWaitMs) throw error;
    onWait(until, error.code);
    await sleepUntil(until, signal);
  }

  private async send(
    origin: RequestOrigin,
    endpoint: CursorEndpoint,
    request: CursorRequest,
    answerMs: number,
  ): Promise<CursorResponse> {
    const { context } = origin;
    const apiKey = apiKeyOf(context, endpoint);
    const url = requestUrl(this.baseUrl, endpoint, request);
    const cacheKey = `${context.connection.tenantId} ${context.connection.id} ${context.connection.revision} ${url.href}`;
    const cached = endpoint.hasEtag ? this.etagCache.find(cacheKey) : null;
    const { response, body } = await this.fetch(origin, endpoint, url, answerMs, {
      method: endpoint.method,
      headers: headersOf(apiKey, cached?.etag),
      body: request.body && JSON.stringify(request.body),
    });
    if (response.status === 304 && cached) return parsedResponse(endpoint, 200, cached.body);
    if (response.status !== 200) throw this.responseError(apiKey, endpoint, response, body);
    const answer = parsedResponse(endpoint, response.status, body);
    if (endpoint.hasEtag) this.etagCache.store(cacheKey, response.headers.get('etag'), body);
    return answer;
  }

  private async fetch(
    { context, signal }: RequestOrigin,
    endpoint: CursorEndpoint,
    url: URL,
    answerMs: number,
    init: RequestInit,
  ): Promise<{ response: Response; body: string }> {
    const timeout = AbortSignal.timeout(this.timeouts.wholeAnswerMs);
    try {
      const response = await context.outgoing.fetch(url, {
        ...init,
        signal: AbortSignal.any([signal, timeout]),
        redirect: 'error', // the key is for this address only
        isOperatorAddress: true,
        headersTimeoutMs: answerMs,
        idleTimeoutMs: answerMs,
        maxBytes: endpoint.maxBytes,
      });
      return { response, body: await response.text() };
    } catch (error) {
      if (error instanceof OutboundHttpError) throw cursorNetworkError(endpoint, error);
      if (timeout.aborted && !signal.aborted)
        throw cursorError('vendor_unavailable', endpoint, 'the answer did not end');
      throw error;
    }
  }

  private responseError(apiKey: string, endpoint: CursorEndpoint, response: Response, body: string): VendorError {
    const retryAfter = retryAfterOf(response);
    const error = cursorResponseError(endpoint, response.status, body, retryAfter);
    if (error.code === 'rate_limited' && retryAfter) this.limits.blockUntil(apiKey, endpoint, retryAfter);
    return error;
  }
}

function parsedResponse(endpoint: CursorEndpoint, status: number, body: string): CursorResponse {
  const answer = parseResponse(body, endpoint);
  if (!isPlainObject(answer)) throw cursorError('unexpected_answer', endpoint, 'it is not JSON, or not an object');
  const isError = 'message' in answer && ('error' in answer || answer.code === 'error');
  if (isError) throw cursorResponseError(endpoint, status, body); // an error can ride on a 200
  return answer;
}

function requestUrl(baseUrl: string, { path }: CursorEndpoint, { query = {} }: CursorRequest): URL {
  const url = new URL(baseUrl + path);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  return url;
}

/** As it was pasted, without what cannot be part of a user name in HTTP Basic. */
function apiKeyOf({ secret }: ConnectionContext, endpoint: CursorEndpoint): string {
  const apiKey = secret('apiKey')?.trim();
  if (!apiKey || !/^[\x21-\x39\x3b-\x7e]{1,500}$/.test(apiKey)) throw cursorError('invalid_key', endpoint);
  return apiKey;
}

const headersOf = (apiKey: string, tag?: string) => ({
  accept: 'application/json',
  authorization: `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`,
  'content-type': 'application/json',
  'user-agent': 'countersign',
  ...(tag && { 'if-none-match': tag }),
});
