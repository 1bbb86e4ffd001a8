import net, { BlockList } from 'node:net';
import { Injectable, Optional } from '@nestjs/common';
import type { BeforeApplicationShutdown, OnApplicationShutdown } from '@nestjs/common';
import { Agent, buildConnector } from 'undici';
import { Config } from '../config/config.js';
import { mostValues, ValueCount } from '../json/value-count.js';
import { judgeAddress } from './addresses.js';
import { badPorts } from './bad-ports.js';
import { Closing } from './closing.service.js';
import { exchange } from './exchange.js';
import { guardedLookup, refused } from './guarded-lookup.js';
import { OutgoingError } from './outgoing.error.js';

export interface OutgoingInit extends RequestInit {
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
  isOperators?: boolean;
  /** Called when the request goes onto the wire: from here on the other side may have it. */
  onSent?: () => void;
}

const seconds = 1000;
const limits = {
  connectMs: 10 * seconds,
  headersMs: 30 * seconds,
  idleMs: 30 * seconds,
  maxBytes: 10 * 1024 * 1024,
  redirects: 5,
};

/**
 * The one way out of the process: connections, webhooks, mail, metadata documents, models. The address is judged where the
 * socket is opened, on each connection and redirect, so that a name which resolves differently a moment later gains nothing.
 */
@Injectable()
export class Outgoing implements BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly tenants: Agent;
  private readonly operators: Agent;

  private cutOff?: NodeJS.Timeout;

  constructor(
    config: Config,
    @Optional() private readonly closing?: Closing,
  ) {
    this.tenants = guardedAgent(config.allowPrivateNetworks);
    this.operators = guardedAgent(everywhere);
  }

  /**
   * Work that is still in progress, such as a call that was admitted a moment ago, may send requests until the grace period ends.
   * A request that hangs then no longer keeps the process.
   */
  beforeApplicationShutdown(): void {
    this.cutOff = setTimeout(() => void this.destroy(), this.closing?.remainingMs ?? 0);
  }

  async onApplicationShutdown(): Promise<void> {
    clearTimeout(this.cutOff);
    await this.destroy();
  }

  private async destroy(): Promise<void> {
    await Promise.all([this.tenants.destroy(), this.operators.destroy()]);
  }

  /** The global fetch's shape for SDKs, with the same limits for each of its requests. */
  asFetch(limit: Omit<OutgoingInit, keyof RequestInit> = {}): typeof fetch {
    return async (input, init) => {
      if (!(input instanceof Request)) return this.fetch(input, { ...init, ...limit });
      const { url, method, headers, signal, redirect, body } = input;
      const bytes = body ? await input.arrayBuffer() : undefined;
      return this.fetch(url, { method, headers, signal, redirect, body: bytes, ...init, ...limit });
    };
  }

  /** Rejects with `OutgoingError`, or with the signal's own reason where the caller aborted. */
  async fetch(input: string | URL, init: OutgoingInit = {}): Promise<Response> {
    let url = checkedUrl(input);
    let request: OutgoingInit = init;
    for (let redirects = 0; ; redirects++) {
      const response = await this.once(url, request);
      const target = redirectTarget(url, response);
      if (!target || init.redirect === 'manual') return response;
      await response.body?.cancel();
      if (init.redirect === 'error')
        throw new OutgoingError(
          'redirect-refused',
          `${url.host} answered with a redirect, and none was expected`,
          true,
        );
      if (redirects === limits.redirects)
        throw new OutgoingError('redirect-refused', `${url.host} redirects more than ${limits.redirects} times`, true);
      request = redirected(request, url, target, response.status);
      url = target;
    }
  }

  private async once(url: URL, init: OutgoingInit): Promise<Response> {
    const { method = 'GET', headers, body, signal, onSent, isOperators } = init;
    const { headersTimeoutMs = limits.headersMs, idleTimeoutMs = limits.idleMs, maxBytes = limits.maxBytes } = init;
    let isSent = false;
    const failure = (error: unknown) => outgoingError(error, url, isSent, signal);
    try {
      const answer = await exchange(isOperators ? this.operators : this.tenants, url, {
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
          new OutgoingError('too-large', `the answer of ${url.host} is larger than ${maxBytes} bytes`, true),
        values: isOperators ? undefined : new ValueCount(),
        tooManyValues: () =>
          new OutgoingError('too-large', `the answer of ${url.host} has more than ${mostValues} keys and values`, true),
      });
      return Object.defineProperty(answer, 'url', { value: url.href });
    } catch (error) {
      throw failure(error);
    }
  }
}

const everywhere = new BlockList();
everywhere.addSubnet('0.0.0.0', 0, 'ipv4');
everywhere.addSubnet('::', 0, 'ipv6');

const guardedAgent = (allowed: BlockList) =>
  new Agent({
    connect: guardedConnector(allowed),
    headersTimeout: limits.headersMs,
    bodyTimeout: limits.idleMs,
    allowH2: false, // one request, one answer, one socket: what was sent stays decidable
  });

function checkedUrl(input: string | URL): URL {
  const text = String(input);
  if (!URL.canParse(text))
    throw new OutgoingError('url-refused', 'this is not a complete address such as https://example.com/path', false);
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new OutgoingError('url-refused', `addresses start with https:// or http://, not ${url.protocol}`, false);
  }
  if (url.username || url.password)
    throw new OutgoingError('url-refused', 'an address with a user name or password in it is not used', false);
  if (badPorts.has(url.port))
    throw new OutgoingError('url-refused', `port ${url.port} belongs to another protocol than HTTP`, false);
  return url;
}

/** Checks before the socket is opened (literal addresses), while the name is resolved, and on the address that was reached. */
function guardedConnector(allowed: BlockList): buildConnector.connector {
  const connect = buildConnector({ timeout: limits.connectMs, lookup: guardedLookup(allowed), allowH2: false });
  return (options, callback) => {
    const literal = net.isIP(options.hostname.replace(/^\[|\]$/g, '')) ? judgeAddress(options.hostname, allowed) : null;
    if (literal) return callback(refused(options.hostname, options.hostname, literal), null);
    connect(options, (error, socket) => {
      if (error) return callback(error, null);
      const reached = socket.remoteAddress;
      const verdict = reached === undefined ? 'malformed' : judgeAddress(reached, allowed);
      if (!verdict) return callback(null, socket);
      socket.destroy();
      callback(refused(options.hostname, reached ?? 'nowhere', verdict), null);
    });
  };
}

const isRedirect = (status: number) => [301, 302, 303, 307, 308].includes(status);

function redirectTarget(from: URL, response: Response): URL | null {
  const location = response.headers.get('location');
  if (!isRedirect(response.status) || !location) return null;
  if (!URL.canParse(location, from.href))
    throw new OutgoingError('redirect-refused', `${from.host} redirects to something that is no address`, true);
  return new URL(location, from);
}

/** What else a request carried (keys, cookies, session ids) was meant for the first origin only. */
const headersForStrangers = ['accept', 'accept-language', 'content-type', 'user-agent'];

function redirected(init: OutgoingInit, from: URL, to: URL, status: number): OutgoingInit {
  checkedUrl(to);
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw new OutgoingError('redirect-refused', `${from.host} redirects from https to plain http`, true);
  }
  const method = (init.method ?? 'GET').toUpperCase();
  const becomesGet = status === 303 ? method !== 'HEAD' : status <= 302 && method === 'POST';
  const headers = [...new Headers(init.headers)].filter(
    ([name]) => from.origin === to.origin || headersForStrangers.includes(name),
  );
  if (!becomesGet) return { ...init, headers };
  return { ...init, method: 'GET', body: undefined, headers: headers.filter(([name]) => !name.startsWith('content-')) };
}

const codeOf = (error: unknown) => (error as { code?: unknown } | null)?.code;

function outgoingError(error: unknown, url: URL, isSent: boolean, signal?: AbortSignal | null): unknown {
  if (signal?.aborted) return signal.reason;
  const cause = rootOf(error);
  if (cause instanceof OutgoingError) return cause;
  const fail = (code: OutgoingError['code'], message: string) => new OutgoingError(code, message, isSent, cause);
  const code = String(codeOf(cause) ?? '');
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return fail('name-unknown', `the name ${url.hostname} could not be resolved`);
  if (/TIMEOUT|ETIMEDOUT/.test(code)) return fail('timed-out', `${url.host} did not answer in time`);
  if (/CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO|EPROTO/.test(code))
    return fail('tls-failed', `no secure connection to ${url.host}: ${messageOf(cause)}`);
  if (isSent) return fail('broken', `the connection to ${url.host} broke before the answer was complete`);
  return fail('connect-failed', `no connection to ${url.host}${code ? ` (${code})` : `: ${messageOf(cause)}`}`);
}

/** fetch wraps what happened in a TypeError; a name with several addresses in an AggregateError. */
function rootOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length && !(error instanceof OutgoingError))
    return rootOf(error.errors[0]);
  const { cause } = error as { cause?: unknown };
  return error instanceof TypeError && cause ? rootOf(cause) : error;
}

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
