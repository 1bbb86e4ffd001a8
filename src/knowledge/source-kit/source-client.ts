import { setTimeout as after } from 'node:timers/promises';
import type { z } from 'zod';
import type { OutboundHttpClient } from '../../platform/http/outbound-http-client.service.js';
import { OutboundHttpError } from '../../platform/http/outbound-http.error.js';
import { quoteExternalText } from '../../platform/text/quote-external-text.js';
import { trimTrailing } from '../../platform/text/trim-trailing.js';
import { secretsInHeader, withoutSecrets } from '../../platform/text/without-secrets.js';
import type { SourceQuota } from '../../connections/knowledge-source.port.js';
import { RequestBudget, type ReadLimits } from './source-limits.js';
import { SourceRequestError, type SourceRequestFault } from './source-request.error.js';

export interface SourceClientOptions {
  /** The name of the source, for example "GitHub". */
  system: string;
  /** The base URL of all paths. The client sends requests only to its origin. */
  baseUrl: string;
  outgoing: OutboundHttpClient;
  signal: AbortSignal;
  /** Returns headers with the credential. Called before each attempt, so that it can renew an expiring token. */
  authorize: () => Record<string, string> | Promise<Record<string, string>>;
  /** Sent with every request. */
  headers?: Record<string, string>;
  readLimits: ReadLimits;
  /** Receives the remaining quota, usually `context.quota`. */
  quota?: (status: SourceQuota) => void;
  /** The maximum share of the quota to use. Default: 0.8. Use 1 if a person waits for the response. */
  share?: number;
  /** The maximum wait for rate limits per request. Default: 60 s. */
  maxWaitMs?: number;
  /** The delay before the first retry. It doubles with each retry, with jitter. Default: 500 ms. */
  retryDelayMs?: number;
  /** Finds the message in an error body. Default: `message`, or that of the first of `errors`. */
  quoteOf?: (body: unknown) => unknown;
}

export interface SourceRequest<T> {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** A path below the base URL, or an absolute URL of the same origin. */
  path: string;
  query?: Record<string, string | number | boolean | undefined>;
  /** Sent as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  schema: z.ZodType<T>;
  /** A read is retried after failures. Default: true for GET. */
  isRead?: boolean;
  /** Requests of the same bucket share a quota. */
  bucket?: string;
  /** Makes the request conditional. `body` is undefined if the answer is `isUnchanged`. */
  etag?: string;
  /** Default: 10 MiB. */
  maxBytes?: number;
}

export interface SourceAnswer<T> {
  status: number;
  headers: Headers;
  /** The URL of the response, after redirects. */
  url: string;
  body: T;
  isUnchanged: boolean;
  /** True after a permanent redirect: the container was renamed, or the object moved. */
  isMoved: boolean;
  /** Quotes text of the source for an error message, without the credential. */
  quote: (text: string) => string;
}

const attempts = 4;
const maxRedirects = 5;
const maxRejections = 5;
const pauseMs = 300_000;
const maxQuote = 200;

/** A JSON client for one pass or one tool call of a connector. */
export class SourceClient {
  readonly system: string;
  private readonly base: URL;
  private readonly budget: RequestBudget;

  constructor(private readonly options: SourceClientOptions) {
    this.system = options.system;
    this.base = new URL(options.baseUrl);
    const { system, share = 0.8, maxWaitMs = 60_000, signal, quota } = options;
    this.budget = new RequestBudget({ system, share, maxWaitMs, signal, quota });
  }

  /** Sends a GET and returns the body. */
  async get<T>(path: string, schema: z.ZodType<T>, query?: SourceRequest<T>['query']): Promise<T> {
    return (await this.request({ path, schema, query })).body;
  }

  /** Throws `SourceRequestError` and `SourcePaused`. */
  async request<T>(request: SourceRequest<T>): Promise<SourceAnswer<T>> {
    let url = this.urlOf(request);
    let isMoved = false;
    for (let redirects = 0; ; redirects++) {
      const answer = await this.repeat(url, request);
      const target = redirectOf(answer, url);
      if (!target) return { ...this.read(request, answer, url), isMoved };
      if (redirects === maxRedirects || !isReading(request) || target.origin !== this.base.origin)
        throw this.error('unreadable', `${this.options.system} redirected ${url.pathname} to another address`, answer);
      isMoved ||= answer.status === 301 || answer.status === 308;
      url = target;
    }
  }

  /** Throws if a path, such as a link in a response, leads to another origin. */
  private urlOf({ path, query = {} }: Pick<SourceRequest<unknown>, 'path' | 'query'>): URL {
    const url = new URL(/^https?:/i.test(path) ? path : trimTrailing(this.base.href, '/') + path);
    if (url.origin !== this.base.origin)
      throw new SourceRequestError('unreadable', `${this.options.system} links to another server`, null, false);
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, String(value));
    return url;
  }

  /** Retries failures and waits for rate limits, within their maximums. */
  private async repeat(url: URL, request: SourceRequest<unknown>): Promise<RawAnswer> {
    const { signal, system, readLimits, retryDelayMs = 500 } = this.options;
    const bucket = request.bucket ?? '';
    let rejections = 0;
    let waited = 0;
    for (let failures = 0; ;) {
      await this.budget.admit(bucket);
      const answer = await this.send(url, request);
      if (!(answer instanceof SourceRequestError)) {
        const { retryAt, quotas } = readLimits({ ...answer, rejections, now: Date.now() });
        this.budget.record(bucket, quotas);
        if (retryAt) {
          waited += await this.budget.waitUntil(notForever(retryAt, ++rejections), waited, `${system} limits the rate`);
          continue;
        }
      }
      const failure = answer instanceof SourceRequestError ? answer : this.temporaryFailure(url, answer);
      if (!failure) return answer as RawAnswer;
      if (++failures === attempts || !isRepeatable(request, failure)) throw failure;
      await after(jittered(retryDelayMs * 2 ** (failures - 1)), undefined, { signal });
    }
  }

  private temporaryFailure({ pathname }: URL, answer: RawAnswer): SourceRequestError | null {
    const { system } = this.options;
    if (answer.status >= 500) return this.error('unavailable', `${system} could not answer ${pathname}`, answer);
    if (answer.status !== 200 || answer.body !== undefined) return null;
    return this.error('unreadable', `${system} answered ${pathname} with a body that is not JSON`, answer);
  }

  /** Returns network failures that may be temporary, and throws all others. */
  private async send(url: URL, request: SourceRequest<unknown>): Promise<RawAnswer | SourceRequestError> {
    const { outgoing, signal, authorize, headers } = this.options;
    const { method = 'GET', body, etag, maxBytes } = request;
    const credential = await authorize();
    try {
      const response = await outgoing.fetch(url, {
        method,
        signal,
        maxBytes,
        redirect: 'manual',
        headers: {
          accept: 'application/json',
          ...headers,
          ...credential,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(etag && { 'if-none-match': etag }),
          ...request.headers,
        },
        body: body === undefined ? undefined : JSON.stringify(body),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, body: parsed(text), credential };
    } catch (error) {
      if (!(error instanceof OutboundHttpError)) throw error;
      const isTemporary = ['connect-failed', 'timed-out', 'broken', 'name-unknown'].includes(error.code);
      const fault = error.code === 'too-large' ? 'too-large' : 'unavailable';
      const failure = new SourceRequestError(fault, error.message, null, error.isSent, null, { cause: error });
      if (isTemporary) return failure;
      throw failure;
    }
  }

  private read<T>(request: SourceRequest<T>, answer: RawAnswer, url: URL): Omit<SourceAnswer<T>, 'isMoved'> {
    const { status, headers, body, credential } = answer;
    const quote = (text: string) => quoteWithout(credential, text);
    const common = { status, headers, url: url.href, quote };
    if (status === 304) return { ...common, body: undefined as T, isUnchanged: true };
    if (status >= 400) throw this.refusal(answer, url);
    const result = request.schema.safeParse(body);
    if (result.success) return { ...common, body: result.data, isUnchanged: false };
    const [{ path }] = result.error.issues;
    throw this.error(
      'unreadable',
      `${this.options.system} answered ${url.pathname} without a valid ${path.join('.') || 'body'}`,
      answer,
    );
  }

  private refusal(answer: RawAnswer, { pathname }: URL): SourceRequestError {
    const { system } = this.options;
    if (answer.status === 401)
      return this.error(
        'unauthorized',
        `${system} rejects the credential. If it is expired or revoked, create a new one and save it in the integration`,
        answer,
      );
    if (answer.status === 403)
      return this.error('forbidden', `${system} refuses access to ${pathname}: the credential lacks a right`, answer);
    if (answer.status === 404 || answer.status === 410)
      return this.error('missing', `${system} has no ${pathname}, or the credential may not see it`, answer);
    return this.error('refused', `${system} rejects the request to ${pathname}`, answer);
  }

  private error(fault: SourceRequestFault, reason: string, answer: RawAnswer): SourceRequestError {
    const { status, body, credential } = answer;
    const text = (this.options.quoteOf ?? messageIn)(body);
    const quote = typeof text === 'string' && text.trim() ? quoteWithout(credential, text) : null;
    const message = `${reason} (${status}${quote ? `: ${quote}` : ''}).`;
    return new SourceRequestError(fault, message, status, true, quote);
  }
}

interface RawAnswer {
  status: number;
  headers: Headers;
  body: unknown;
  credential: Record<string, string>;
}

const isReading = ({ method = 'GET', isRead = method === 'GET' }: SourceRequest<unknown>): boolean => isRead;

const quoteWithout = (credential: Record<string, string>, text: string): string =>
  quoteExternalText(withoutSecrets(text, Object.values(credential).flatMap(secretsInHeader)), maxQuote);

/** A write may have been executed as soon as it was sent. */
const isRepeatable = (request: SourceRequest<unknown>, { isSent }: SourceRequestError): boolean =>
  isReading(request) || !isSent;

/** Pauses after several rejections, because a source could demand short waits forever. */
const notForever = (retryAt: Date, rejections: number): Date =>
  rejections > maxRejections ? new Date(Math.max(retryAt.getTime(), Date.now() + pauseMs)) : retryAt;

const jittered = (ms: number): number => ms * (0.5 + Math.random());

function redirectOf({ status, headers }: RawAnswer, from: URL): URL | null {
  const location = headers.get('location');
  if (![301, 302, 307, 308].includes(status) || !location) return null;
  return URL.canParse(location, from.href) ? new URL(location, from.href) : null;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function messageIn(body: unknown): unknown {
  if (typeof body !== 'object' || body === null) return undefined;
  const { message, errors } = body as { message?: unknown; errors?: unknown };
  if (typeof message === 'string') return message;
  return Array.isArray(errors) ? (errors[0] as { message?: unknown } | null)?.message : undefined;
}
