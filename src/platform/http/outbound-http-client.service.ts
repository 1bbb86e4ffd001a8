import { BlockList } from 'node:net';
import { Injectable, Optional } from '@nestjs/common';
import type { BeforeApplicationShutdown, OnApplicationShutdown } from '@nestjs/common';
import { Agent } from 'undici';
import { Config } from '../config/config.js';
import { mostValues, ValueCount } from '../json/value-count.js';
import { badPorts } from './bad-ports.js';
import { ShutdownService } from './shutdown.service.js';
import { dispatchRequest } from './dispatch-request.js';
import { guardedConnector } from './guarded-connector.js';
import { OutboundHttpError } from './outbound-http.error.js';

export interface OutboundRequestInit extends RequestInit {
  /** Time limit for the response headers. Default: 30 s. */
  headersTimeoutMs?: number;
  /** Maximum time without data in the body. Default: 30 s. */
  idleTimeoutMs?: number;
  /** Limit of the decoded body. Default: 10 MiB. */
  maxBytes?: number;
  /**
   * The operator configured this address: private ranges are allowed, and keys and values of the response are not
   * counted. Link-local ranges stay blocked.
   */
  isOperatorAddress?: boolean;
  /** Called when the request is written to the socket. From then on, the other side may have received it. */
  onSent?: () => void;
}

const secondMs = 1000;
const outboundLimits = {
  headersMs: 30 * secondMs,
  idleMs: 30 * secondMs,
  maxBytes: 10 * 1024 * 1024,
  redirects: 5,
};

/**
 * The only outbound HTTP client: for connections, webhooks, mail, metadata documents and models. It checks the address
 * when the socket is opened, for each connection and redirect, which also defeats DNS rebinding.
 */
@Injectable()
export class OutboundHttpClient implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly tenantAgent: Agent;
  private readonly operatorAgent: Agent;

  private destroyTimer?: NodeJS.Timeout;

  constructor(
    config: Config,
    @Optional() private readonly shutdown?: ShutdownService,
  ) {
    this.tenantAgent = guardedAgent(config.allowPrivateNetworks);
    this.operatorAgent = guardedAgent(allNetworks);
  }

  /**
   * Work in progress, such as a call that was just admitted, may send requests until the grace period ends. After that,
   * a hanging request no longer blocks the shutdown.
   */
  beforeApplicationShutdown(): void {
    this.destroyTimer = setTimeout(() => void this.destroy(), this.shutdown?.remainingMs ?? 0);
  }

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.destroyTimer);
    await this.destroy();
  }

  private async destroy(): Promise<void> {
    await Promise.all([this.tenantAgent.destroy(), this.operatorAgent.destroy()]);
  }

  /** A drop-in for the global fetch, for SDKs. The limits apply to each request. */
  asFetch(limit: Omit<OutboundRequestInit, keyof RequestInit> = {}): typeof fetch {
    return async (input, init) => {
      if (!(input instanceof Request)) return this.fetch(input, { ...init, ...limit });
      const { url, method, headers, signal, redirect, body } = input;
      const bytes = body ? await input.arrayBuffer() : undefined;
      return this.fetch(url, { method, headers, signal, redirect, body: bytes, ...init, ...limit });
    };
  }

  /** Rejects with `OutboundHttpError`, or with the signal's reason if the caller aborted. */
  async fetch(input: string | URL, init: OutboundRequestInit = {}): Promise<Response> {
    let url = checkedUrl(input);
    let request: OutboundRequestInit = init;
    for (let redirects = 0; ; redirects++) {
      const response = await this.fetchOnce(url, request);
      const target = redirectTarget(url, response);
      if (!target || init.redirect === 'manual') return response;
      await response.body?.cancel();
      if (init.redirect === 'error')
        throw new OutboundHttpError('redirect-refused', `${url.host} answered with an unexpected redirect`, true);
      if (redirects === outboundLimits.redirects)
        throw new OutboundHttpError(
          'redirect-refused',
          `${url.host} redirects more than ${outboundLimits.redirects} times`,
          true,
        );
      request = redirectedInit(request, url, target, response.status);
      url = target;
    }
  }

  private async fetchOnce(url: URL, init: OutboundRequestInit): Promise<Response> {
    const { method = 'GET', headers, body, signal, onSent, isOperatorAddress } = init;
    const {
      headersTimeoutMs = outboundLimits.headersMs,
      idleTimeoutMs = outboundLimits.idleMs,
      maxBytes = outboundLimits.maxBytes,
    } = init;
    let isSent = false;
    const failure = (error: unknown) => toOutboundHttpError(error, url, isSent, signal);
    try {
      const answer = await dispatchRequest(isOperatorAddress ? this.operatorAgent : this.tenantAgent, url, {
        method: method.toUpperCase(),
        headers: new Headers(headers),
        body,
        signal,
        headersTimeoutMs,
        idleTimeoutMs,
        maxBytes,
        onSent: () => {
          isSent = true;
          onSent?.();
        },
        failure,
        tooLarge: () =>
          new OutboundHttpError('too-large', `the response of ${url.host} is larger than ${maxBytes} bytes`, true),
        values: isOperatorAddress ? undefined : new ValueCount(),
        tooManyValues: () =>
          new OutboundHttpError(
            'too-large',
            `the response of ${url.host} has more than ${mostValues} keys and values`,
            true,
          ),
      });
      return Object.defineProperty(answer, 'url', { value: url.href });
    } catch (error) {
      throw failure(error);
    }
  }
}

const allNetworks = new BlockList();
allNetworks.addSubnet('0.0.0.0', 0, 'ipv4');
allNetworks.addSubnet('::', 0, 'ipv6');

const guardedAgent = (allowed: BlockList) =>
  new Agent({
    connect: guardedConnector(allowed),
    headersTimeout: outboundLimits.headersMs,
    bodyTimeout: outboundLimits.idleMs,
    allowH2: false, // with one request per socket at a time, it is known whether a request was sent
  });

function checkedUrl(input: string | URL): URL {
  const text = String(input);
  if (!URL.canParse(text))
    throw new OutboundHttpError('url-refused', 'this is not a complete URL such as https://example.com/path', false);
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new OutboundHttpError('url-refused', `a URL must start with https:// or http://, not ${url.protocol}`, false);
  }
  if (url.username || url.password)
    throw new OutboundHttpError('url-refused', 'a URL must not contain a user name or password', false);
  if (badPorts.has(url.port))
    throw new OutboundHttpError('url-refused', `port ${url.port} is reserved for another protocol than HTTP`, false);
  return url;
}

const isRedirect = (status: number) => [301, 302, 303, 307, 308].includes(status);

function redirectTarget(from: URL, response: Response): URL | null {
  const location = response.headers.get('location');
  if (!isRedirect(response.status) || !location) return null;
  if (!URL.canParse(location, from.href))
    throw new OutboundHttpError('redirect-refused', `${from.host} redirects to an invalid URL`, true);
  return new URL(location, from);
}

/** All other headers (keys, cookies, session ids) are for the first origin only. */
const crossOriginHeaders = ['accept', 'accept-language', 'content-type', 'user-agent'];

function redirectedInit(init: OutboundRequestInit, from: URL, to: URL, status: number): OutboundRequestInit {
  checkedUrl(to);
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw new OutboundHttpError('redirect-refused', `${from.host} redirects from https to plain http`, true);
  }
  const method = (init.method ?? 'GET').toUpperCase();
  const becomesGet = status === 303 ? method !== 'HEAD' : status <= 302 && method === 'POST';
  const headers = [...new Headers(init.headers)].filter(
    ([name]) => from.origin === to.origin || crossOriginHeaders.includes(name),
  );
  if (!becomesGet) return { ...init, headers };
  return { ...init, method: 'GET', body: undefined, headers: headers.filter(([name]) => !name.startsWith('content-')) };
}

const errorCodeOf = (error: unknown) => (error as { code?: unknown } | null)?.code;

function toOutboundHttpError(error: unknown, url: URL, isSent: boolean, signal?: AbortSignal | null): unknown {
  if (signal?.aborted) return signal.reason;
  const cause = rootCauseOf(error);
  if (cause instanceof OutboundHttpError) return cause;
  const fail = (code: OutboundHttpError['code'], message: string) =>
    new OutboundHttpError(code, message, isSent, cause);
  const code = String(errorCodeOf(cause) ?? '');
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return fail('name-unknown', `the name ${url.hostname} could not be resolved`);
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return fail('timed-out', `${url.host} did not answer in time`);
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|EPROTO/.test(code))
    return fail('tls-failed', `no secure connection to ${url.host}: ${errorMessageOf(cause)}`);
  if (isSent) return fail('broken', `the connection to ${url.host} was lost before the response was complete`);
  return fail('connect-failed', `no connection to ${url.host}${code ? ` (${code})` : `: ${errorMessageOf(cause)}`}`);
}

/** Errors may be wrapped in a TypeError, or in an AggregateError if a name has several addresses. */
function rootCauseOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length && !(error instanceof OutboundHttpError))
    return rootCauseOf(error.errors[0]);
  const { cause } = error as { cause?: unknown };
  return error instanceof TypeError && cause ? rootCauseOf(cause) : error;
}

const errorMessageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
