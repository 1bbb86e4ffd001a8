import { OutgoingError } from '../../platform/http/outgoing.error.js';
import type { ConnectionContext } from '../../connections/connection-kinds.service.js';
import { type Pull, VendorTrouble } from '../vendor.js';
import type { Endpoint } from './endpoints.js';
import { isObject, parseAnswer } from './parse-answer.js';
import { refusal, trouble, unanswered } from './refusals.js';
import { RememberedAnswers } from './remembered-answers.js';
import { RequestLimits, sleepUntil } from './request-limits.js';
import { retryAfterOf } from './retry-after.js';

export interface Patience {
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

export const usualPatience: Patience = {
  backOffMs: [1000, 2000, 4000, 8000, 16_000],
  longestWaitMs: 120_000,
  answerMs: 60_000,
  quickAnswerMs: 15_000,
  wholeAnswerMs: 300_000,
  minuteMs: 60_000,
};

export interface Question {
  query?: Record<string, string | number>;
  body?: object;
}

type Asker = Pick<Pull, 'context' | 'signal'>;
export type Answer = Record<string, unknown>;

/** Asks Cursor's interfaces, within their limits. The key goes into one header and nowhere else. */
export class CursorApi {
  private readonly limits: RequestLimits;
  private readonly remembered = new RememberedAnswers();

  constructor(
    private readonly baseUrl: string,
    private readonly patience: Patience = usualPatience,
  ) {
    this.limits = new RequestLimits(patience.minuteMs);
  }

  /** For a pull: waits for its turn, and tries again what may pass. */
  async ask(pull: Pull, endpoint: Endpoint, question: Question): Promise<Answer> {
    for (let attempt = 0; ; attempt++) {
      await this.ownTurn(pull, endpoint);
      try {
        pull.onRequest();
        return await this.once(pull, endpoint, question, this.patience.answerMs);
      } catch (error) {
        if (!(error instanceof VendorTrouble && error.isPassing)) throw error;
        await this.pause(pull, error, attempt);
      }
    }
  }

  /** For somebody who waits for the answer: one attempt, now. */
  async tryOnce(context: ConnectionContext, endpoint: Endpoint, question: Question): Promise<Answer> {
    const next = this.limits.take(keyOf(context, endpoint), endpoint, { isUrgent: true });
    if (next) throw trouble('rate_limited', endpoint, undefined, next);
    return this.once({ context, signal: context.signal }, endpoint, question, this.patience.quickAnswerMs);
  }

  private async ownTurn({ context, signal, onWait }: Pull, endpoint: Endpoint): Promise<void> {
    for (;;) {
      signal.throwIfAborted();
      const next = this.limits.take(keyOf(context, endpoint), endpoint);
      if (!next) return;
      onWait(next, 'rate_limited');
      await sleepUntil(next, signal);
    }
  }

  private async pause({ signal, onWait }: Pull, error: VendorTrouble, attempt: number): Promise<void> {
    const { backOffMs, longestWaitMs } = this.patience;
    if (attempt === backOffMs.length) throw error;
    const until = new Date(Math.max(Date.now() + backOffMs[attempt], error.retryAfter?.getTime() ?? 0));
    if (until.getTime() - Date.now() > longestWaitMs) throw error;
    onWait(until, error.code);
    await sleepUntil(until, signal);
  }

  private async once(asker: Asker, endpoint: Endpoint, question: Question, answerMs: number): Promise<Answer> {
    const { context } = asker;
    const apiKey = keyOf(context, endpoint);
    const url = addressOf(this.baseUrl, endpoint, question);
    const place = `${context.connection.tenantId} ${context.connection.id} ${context.connection.revision} ${url.href}`;
    const known = endpoint.hasTag ? this.remembered.find(place) : null;
    const { response, body } = await this.exchange(asker, endpoint, url, answerMs, {
      method: endpoint.method,
      headers: headersOf(apiKey, known?.tag),
      body: question.body && JSON.stringify(question.body),
    });
    if (response.status === 304 && known) return parsed(endpoint, 200, known.body);
    if (response.status !== 200) throw this.refused(apiKey, endpoint, response, body);
    const answer = parsed(endpoint, response.status, body);
    if (endpoint.hasTag) this.remembered.keep(place, response.headers.get('etag'), body);
    return answer;
  }

  private async exchange(
    { context, signal }: Asker,
    endpoint: Endpoint,
    url: URL,
    answerMs: number,
    init: RequestInit,
  ): Promise<{ response: Response; body: string }> {
    const late = AbortSignal.timeout(this.patience.wholeAnswerMs);
    try {
      const response = await context.outgoing.fetch(url, {
        ...init,
        signal: AbortSignal.any([signal, late]),
        redirect: 'error', // the key is for this address only
        isOperators: true,
        headersTimeoutMs: answerMs,
        idleTimeoutMs: answerMs,
        maxBytes: endpoint.maxBytes,
      });
      return { response, body: await response.text() };
    } catch (error) {
      if (error instanceof OutgoingError) throw unanswered(endpoint, error);
      if (late.aborted && !signal.aborted) throw trouble('vendor_unavailable', endpoint, 'the answer did not end');
      throw error;
    }
  }

  private refused(apiKey: string, endpoint: Endpoint, response: Response, body: string): VendorTrouble {
    const retryAfter = retryAfterOf(response);
    const refused = refusal(endpoint, response.status, body, retryAfter);
    if (refused.code === 'rate_limited' && retryAfter) this.limits.close(apiKey, endpoint, retryAfter);
    return refused;
  }
}

function parsed(endpoint: Endpoint, status: number, body: string): Answer {
  const answer = parseAnswer(body, endpoint);
  if (!isObject(answer)) throw trouble('unexpected_answer', endpoint, 'it is not JSON, or not an object');
  const isRefusal = 'message' in answer && ('error' in answer || answer.code === 'error');
  if (isRefusal) throw refusal(endpoint, status, body); // an error can ride on a 200
  return answer;
}

function addressOf(baseUrl: string, { path }: Endpoint, { query = {} }: Question): URL {
  const url = new URL(baseUrl + path);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, String(value));
  return url;
}

/** As it was pasted, without what cannot be part of a user name in HTTP Basic. */
function keyOf({ secret }: ConnectionContext, endpoint: Endpoint): string {
  const apiKey = secret('apiKey')?.trim();
  if (!apiKey || !/^[\x21-\x39\x3b-\x7e]{1,500}$/.test(apiKey)) throw trouble('invalid_key', endpoint);
  return apiKey;
}

const headersOf = (apiKey: string, tag?: string) => ({
  accept: 'application/json',
  authorization: `Basic ${Buffer.from(`${apiKey}:`).toString('base64')}`,
  'content-type': 'application/json',
  'user-agent': 'countersign',
  ...(tag && { 'if-none-match': tag }),
});
