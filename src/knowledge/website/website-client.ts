import { setTimeout as after } from 'node:timers/promises';
import { SourcePaused } from '../../connections/connections.error.js';
import type { ConnectionContext } from '../../connections/connector-registry.service.js';
import { SerialExecutor } from '../../platform/events/serial-executor.js';
import { OutboundHttpError } from '../../platform/http/outbound-http.error.js';
import { retryAfterIn } from '../../platform/http/retry-after.js';

export interface WebsiteTimeouts {
  /** Between two requests, unless robots.txt demands more. */
  paceMs: number;
  retryDelayMs: number;
  /** For one response, with its body. */
  responseMs: number;
}

export interface WebsiteAnswer {
  url: URL;
  status: number;
  headers: Headers;
  /** Empty for responses other than 200, and if `limitOf` does not accept the media type. */
  body: Uint8Array;
  /** The absolute target of a redirect. */
  target: URL | null;
}

/** The website did not answer, or not completely. The page may still exist. */
export class WebsiteUnavailable extends Error {
  override readonly name = 'WebsiteUnavailable';
}

/** The response is larger than the limit of its type. */
export class PageTooLarge extends Error {
  override readonly name = 'PageTooLarge';
}

export const websiteUserAgent = 'countersign';
const attempts = 3;
const maxRedirects = 5;
const maxWaitMs = 60_000;
const maxBytes = 50 * 2 ** 20;

/** The maximum size of a body by its media type. Null: the body is not read. */
type LimitOf = (mediaType: string) => number | null;

/** Sends requests one after another, only to the origin of the start address. */
export class WebsiteClient {
  private nextAt = 0;
  /** The text of a page can be requested while the pass continues. */
  private readonly requests = new SerialExecutor();
  private paceMs: number;
  private readonly headers: Record<string, string>;

  constructor(
    private readonly context: Pick<ConnectionContext, 'outgoing' | 'signal' | 'secret'>,
    private readonly origin: string,
    private readonly timeouts: WebsiteTimeouts,
  ) {
    this.paceMs = timeouts.paceMs;
    const authorization = context.secret('authorization')?.trim();
    this.headers = {
      'user-agent': `${websiteUserAgent} (documentation search)`,
      accept: 'text/html, application/xhtml+xml, application/pdf;q=0.9, text/*;q=0.9, */*;q=0.1',
      ...(authorization && { authorization }),
    };
  }

  /** At most a minute, so that a delay does not stop the sync. */
  slowDown(crawlDelaySeconds: number): void {
    this.paceMs = Math.max(this.paceMs, Math.min(crawlDelaySeconds * 1000, maxWaitMs));
  }

  /** Follows redirects within the origin. Returns the redirect that leaves it or exceeds the limit. */
  async follow(url: URL, limitOf: LimitOf): Promise<WebsiteAnswer> {
    let answer = await this.get(url, limitOf);
    for (let redirects = 0; answer.target?.origin === this.origin && redirects < maxRedirects; redirects++)
      answer = await this.get(answer.target, limitOf);
    return answer;
  }

  /** Throws `WebsiteUnavailable` after three attempts, and `SourcePaused` if the website demands a long wait. */
  get(url: URL, limitOf: LimitOf, conditions: Record<string, string> = {}): Promise<WebsiteAnswer> {
    return this.requests.run(() => this.request(url, limitOf, conditions));
  }

  private async request(url: URL, limitOf: LimitOf, conditions: Record<string, string>): Promise<WebsiteAnswer> {
    if (url.origin !== this.origin) throw new Error(`${url.host} is another host than that of the start address`);
    for (let attempt = 1; ; attempt++) {
      const answer = await this.attempt(url, limitOf, conditions);
      const isBusy = 'status' in answer && (answer.status === 429 || answer.status >= 500);
      if (!isBusy && !(answer instanceof WebsiteUnavailable)) return answer;
      const retryAt = 'headers' in answer ? retryAfterIn(answer.headers, Date.now()) : undefined;
      const waitMs = retryAt
        ? Math.max(retryAt.getTime() - Date.now(), 0)
        : this.timeouts.retryDelayMs * 2 ** (attempt - 1);
      if (retryAt && waitMs > maxWaitMs)
        throw new SourcePaused(`${url.host} asks to wait (status ${(answer as WebsiteAnswer).status}).`, retryAt);
      if (attempt === attempts) {
        if (answer instanceof WebsiteUnavailable) throw answer;
        throw new WebsiteUnavailable(`${url.host} answered with status ${answer.status}`);
      }
      await after(waitMs, undefined, { signal: this.context.signal });
    }
  }

  private async attempt(
    url: URL,
    limitOf: LimitOf,
    conditions: Record<string, string>,
  ): Promise<WebsiteAnswer | WebsiteUnavailable> {
    const { outgoing, signal } = this.context;
    await this.pace();
    const deadline = AbortSignal.timeout(this.timeouts.responseMs);
    try {
      const response = await outgoing.fetch(url, {
        redirect: 'manual',
        headers: { ...this.headers, ...conditions },
        signal: AbortSignal.any([signal, deadline]),
        maxBytes,
      });
      const { status, headers } = response;
      const location = [301, 302, 303, 307, 308].includes(status) ? headers.get('location') : null;
      const target = location && URL.canParse(location, url.href) ? new URL(location, url) : null;
      if (target) target.hash = '';
      const limit = status === 200 ? limitOf(mediaTypeOf(headers)) : null;
      if (limit === null) await response.body?.cancel();
      const body = limit === null ? new Uint8Array() : await readWithin(response, limit);
      return { url, status, headers, body, target };
    } catch (error) {
      signal.throwIfAborted();
      if (deadline.aborted) return new WebsiteUnavailable(`${url.host} did not answer in time`);
      if (!(error instanceof OutboundHttpError)) throw error;
      if (error.code === 'too-large') throw new PageTooLarge(`is too large: ${error.message}`);
      if (['connect-failed', 'timed-out', 'broken', 'name-unknown'].includes(error.code))
        return new WebsiteUnavailable(error.message);
      throw error;
    }
  }

  private async pace(): Promise<void> {
    const waitMs = this.nextAt - Date.now();
    if (waitMs > 0) await after(waitMs, undefined, { signal: this.context.signal });
    this.nextAt = Date.now() + this.paceMs;
  }
}

export const mediaTypeOf = (headers: Headers): string =>
  (headers.get('content-type') ?? '').split(';')[0].trim().toLowerCase();

async function readWithin({ body }: Response, limit: number): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  // leaving the loop cancels the response
  for await (const part of body ?? []) {
    length += part.length;
    if (length > limit) throw new PageTooLarge(`is larger than ${limit / 2 ** 20} MiB`);
    parts.push(part);
  }
  return Buffer.concat(parts);
}
