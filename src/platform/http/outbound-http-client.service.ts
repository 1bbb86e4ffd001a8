import net, { BlockList } from 'node:net';
import { Injectable, Optional } from '@nestjs/common';
import type { BeforeApplicationShutdown, OnApplicationShutdown } from '@nestjs/common';
import { Agent, buildConnector } from 'undici';
import { Config } from '../config/config.js';
import { mostValues, ValueCount } from '../json/value-count.js';
import { checkAddress } from './network-address.js';
import { badPorts } from './bad-ports.js';
import { ShutdownService } from './shutdown.service.js';
import { dispatchRequest } from './dispatch-request.js';
import { guardedLookup, addressRefused } from './guarded-lookup.js';
import { OutboundHttpError } from './outbound-http.error.js';

export interface OutboundRequestInit extends RequestInit {
  /** Until the response's head has come; 30 s. */
  headersTimeoutMs?: number;
  /** Longest silence inside the body; 30 s. */
  idleTimeoutMs?: number;
  /** Of the decoded body; 10 MiB. */
  maxBytes?: number;
  /**
   * The operator's own address from the configuration: private ranges are the operator's decision, and keys and values of an answer
   * are not counted. Link-local stays out of reach.
   */
  isOperatorAddress?: boolean;
  /** Called when the request goes onto the wire: from here on the other side may have it. */
  onSent?: () => void;
}

const secondMs = 1000;
const outboundLimits = {
  connectMs: 10 * secondMs,
  headersMs: 30 * secondMs,
  idleMs: 30 * secondMs,
  maxBytes: 10 * 1024 * 1024,
  redirects: 5,
};

/**
 * The one way out of the process: connections, webhooks, mail, metadata documents, models. The address is judged where the
 * socket is opened, on each connection and redirect, so that a name which resolves differently a moment later gains nothing.
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
   * Work that is still in progress, such as a call that was admitted a moment ago, may send requests until the grace period ends.
   * A request that hangs then no longer keeps the process.
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

  /** The global fetch's shape for SDKs, with the same limits for each of its requests. */
  asFetch(limit: Omit<OutboundRequestInit, keyof RequestInit> = {}): typeof fetch {
    return async (input, init) => {
      if (!(input instanceof Request)) return this.fetch(input, { ...init, ...limit });
      const { url, method, headers, signal, redirect, body } = input;
      const bytes = body ? await input.arrayBuffer() : undefined;
      return this.fetch(url, { method, headers, signal, redirect, body: bytes, ...init, ...limit });
    };
  }

  /** Rejects with `OutgoingError`, or with the signal's own reason where the caller aborted. */
  async fetch(input: string | URL, init: OutboundRequestInit = {}): Promise<Response> {
    let url = checkedUrl(input);
    let request: OutboundRequestInit = init;
    for (let redirects = 0; ; redirects++) {
      const response = await this.fetchOnce(url, request);
      const target = redirectTarget(url, response);
      if (!target || init.redirect === 'manual') return response;
      await response.body?.cancel();
      if (init.redirect === 'error')
        throw new OutboundHttpError(
          'redirect-refused',
          `${url.host} answered with a redirect, and none was expected`,
          true,
        );
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
          new OutboundHttpError('too-large', `the answer of ${url.host} is larger than ${maxBytes} bytes`, true),
        values: isOperatorAddress ? undefined : new ValueCount(),
        tooManyValues: () =>
          new OutboundHttpError(
            'too-large',
            `the answer of ${url.host} has more than ${mostValues} keys and values`,
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
    allowH2: false, // one request, one answer, one socket: what was sent stays decidable
  });

function checkedUrl(input: string | URL): URL {
  const text = String(input);
  if (!URL.canParse(text))
    throw new OutboundHttpError(
      'url-refused',
      'this is not a complete address such as https://example.com/path',
      false,
    );
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new OutboundHttpError('url-refused', `addresses start with https:// or http://, not ${url.protocol}`, false);
  }
  if (url.username || url.password)
    throw new OutboundHttpError('url-refused', 'an address with a user name or password in it is not used', false);
  if (badPorts.has(url.port))
    throw new OutboundHttpError('url-refused', `port ${url.port} belongs to another protocol than HTTP`, false);
  return url;
}

/** Checks before the socket is opened (literal addresses), while the name is resolved, and on the address that was reached. */
function guardedConnector(allowed: BlockList): buildConnector.connector {
  const connect = buildConnector({ timeout: outboundLimits.connectMs, lookup: guardedLookup(allowed), allowH2: false });
  return (options, callback) => {
    const literal = net.isIP(options.hostname.replace(/^\[|\]$/g, '')) ? checkAddress(options.hostname, allowed) : null;
    if (literal) return callback(addressRefused(options.hostname, options.hostname, literal), null);
    connect(options, (error, socket) => {
      if (error) return callback(error, null);
      const reached = socket.remoteAddress;
      const verdict = reached === undefined ? 'malformed' : checkAddress(reached, allowed);
      if (!verdict) return callback(null, socket);
      socket.destroy();
      callback(addressRefused(options.hostname, reached ?? 'nowhere', verdict), null);
    });
  };
}

const isRedirect = (status: number) => [301, 302, 303, 307, 308].includes(status);

function redirectTarget(from: URL, response: Response): URL | null {
  const location = response.headers.get('location');
  if (!isRedirect(response.status) || !location) return null;
  if (!URL.canParse(location, from.href))
    throw new OutboundHttpError('redirect-refused', `${from.host} redirects to something that is no address`, true);
  return new URL(location, from);
}

/** What else a request carried (keys, cookies, session ids) was meant for the first origin only. */
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
  if (isSent) return fail('broken', `the connection to ${url.host} broke before the answer was complete`);
  return fail('connect-failed', `no connection to ${url.host}${code ? ` (${code})` : `: ${errorMessageOf(cause)}`}`);
}

/** fetch wraps what happened in a TypeError; a name with several addresses in an AggregateError. */
function rootCauseOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length && !(error instanceof OutboundHttpError))
    return rootCauseOf(error.errors[0]);
  const { cause } = error as { cause?: unknown };
  return error instanceof TypeError && cause ? rootCauseOf(cause) : error;
}

const errorMessageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
