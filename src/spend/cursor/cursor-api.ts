import { OutboundHttpError } from '../../platform/http/outbound-http.error.js';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import { type VendorSync, VendorError } from '../vendor.js';
import type { CursorEndpoint } from './endpoints.js';
import { isPlainObject, parseResponse } from './parse-response.js';
import { cursorResponseError, cursorError, cursorNetworkError } from './cursor-errors.js';
import { EtagCache } from './etag-cache.js';
import { RequestRateLimit, sleepUntil } from './request-rate-limit.js';
import { retryAfterIn } from '../../platform/http/retry-after.js';

export interface CursorTimeouts {
  /** Delays before retries, as the vendor recommends. */
  backOffMs: readonly number[];
  /** If the vendor requests a longer wait, the request fails and the sync retries later. */
  longestWaitMs: number;
  /** Timeout for the response headers, and for gaps in the body. */
  answerMs: number;
  /** The same for interactive requests. */
  quickAnswerMs: number;
  /** Timeout for the complete response. */
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

/** Client for Cursor's APIs within their rate limits. The key is sent in one header and used nowhere else. */
export class CursorApi {
  private readonly limits: RequestRateLimit;
  private readonly etagCache = new EtagCache();

  constructor(
    private readonly baseUrl: string,
    private readonly timeouts: CursorTimeouts = defaultCursorTimeouts,
  ) {
    this.limits = new RequestRateLimit(timeouts.minuteMs);
  }

  /** For syncs: waits for the rate limit and retries transient errors. */
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

  /** For interactive requests: one immediate attempt. */
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
        redirect: 'error', // never send the key to another address
        isOperatorAddress: true,
        headersTimeoutMs: answerMs,
        idleTimeoutMs: answerMs,
        maxBytes: endpoint.maxBytes,
      });
      return { response, body: await response.text() };
    } catch (error) {
      if (error instanceof OutboundHttpError) throw cursorNetworkError(endpoint, error);
      if (timeout.aborted && !signal.aborted)
        throw cursorError('vendor_unavailable', endpoint, 'the response did not complete');
      throw error;
    }
  }

  private responseError(apiKey: string, endpoint: CursorEndpoint, response: Response, body: string): VendorError {
    const retryAfter = retryAfterIn(response.headers);
    const error = cursorResponseError(endpoint, response.status, body, retryAfter);
    if (error.code === 'rate_limited' && retryAfter) this.limits.blockUntil(apiKey, endpoint, retryAfter);
    return error;
  }
}

function parsedResponse(endpoint: CursorEndpoint, status: number, body: string): CursorResponse {
  const answer = parseResponse(body, endpoint);
  if (!isPlainObject(answer)) throw cursorError('unexpected_answer', endpoint, 'it is not a JSON object');
  const isError = 'message' in answer && ('error' in answer || answer.code === 'error');
  if (isError) throw cursorResponseError(endpoint, status, body); // an error can have status 200
  return answer;
}

function requestUrl(baseUrl: string, { path }: CursorEndpoint, { query = {} }: CursorRequest): URL {
  const url = new URL(baseUrl + path);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  return url;
}

/** Trims a pasted key. Rejects characters that are not allowed in an HTTP Basic user name. */
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
