import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Wakes } from '../../platform/events/wakes.service.js';
import { Outgoing } from '../../platform/http/outgoing.service.js';
import { Log } from '../../platform/telemetry/log.service.js';
import { traceHeaders } from '../../platform/telemetry/trace.js';
import { NotSent } from '../connections.error.js';
import { within } from '../deadline.js';
import { connectionsTopic } from '../topics.js';
import type { Journey } from './journey.js';
import { explain, statusOf } from './mcp-failures.js';
import { StdioTransport, type StdioCommand } from './stdio-transport.js';

export type { Journey } from './journey.js';

export interface McpTarget {
  /** One client per connection and revision: never shared between credentials. */
  key: string;
  connectionId: string;
  at: { url: URL; headers: Record<string, string> } | { command: StdioCommand };
  timeoutMs: number;
}

interface Session {
  connectionId: string;
  client: Promise<Client>;
  usedAt: number;
  users: number;
  isConnected: boolean;
  /** Takes no new call, and ends with its last one. */
  isRetired: boolean;
}

const idleMs = 5 * 60_000;
const sweepMs = 60_000;
const mostSessions = 200;
const longestBackOffMs = 60_000;

/** Clients of upstream servers, kept open between calls. */
@Injectable()
export class McpClients implements OnModuleInit, OnModuleDestroy {
  private readonly sessions = new Map<string, Session>();
  private readonly failures = new Map<string, { count: number; until: number }>();
  private readonly journeys = new AsyncLocalStorage<Journey>();
  private readonly sweeper = setInterval(() => this.sweep(), sweepMs).unref();

  constructor(
    private readonly outgoing: Outgoing,
    private readonly wakes: Wakes,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    // 'all' says only that something may have been missed: the next call uses the present revision, the sweep ends the old one
    this.wakes.on(connectionsTopic, (ids) => ids !== 'all' && this.leave(ids));
  }

  async onModuleDestroy(): Promise<void> {
    clearInterval(this.sweeper);
    await Promise.all([...this.sessions.keys()].map((key) => this.end(key)));
  }

  /** `journey` tells, whatever `run` ends with, whether its own request was sent; connecting does not count. */
  async use<T>(
    target: McpTarget,
    signal: AbortSignal,
    run: (client: Client) => Promise<T>,
    journey: Journey = { isSent: false },
  ): Promise<T> {
    const session = this.session(target);
    try {
      return await this.within(session, target, signal, run, journey);
    } catch (error) {
      // a server that lost our session refuses with 404 and has done nothing (MCP 2025-11-25, session management)
      if (statusOf(error) !== 404 || !session.isConnected) throw error;
      this.retire(target.key, session);
      return this.within(this.session(target), target, signal, run, journey);
    }
  }

  private async within<T>(
    session: Session,
    target: McpTarget,
    signal: AbortSignal,
    run: (client: Client) => Promise<T>,
    journey: Journey,
  ): Promise<T> {
    session.users++;
    try {
      const client = await within(signal, session.client);
      journey.isSent = false;
      return await this.journeys.run(journey, () => run(client));
    } finally {
      await journey.settling;
      session.users--;
      session.usedAt = Date.now();
      if (session.isRetired && !session.users) void this.close(target.key, session);
    }
  }

  private session(target: McpTarget): Session {
    const known = this.sessions.get(target.key);
    if (known) return known;
    this.refuseWhileBackingOff(target);
    const client = this.connect(target, () => this.lost(target, session));
    const { connectionId } = target;
    const session: Session = {
      connectionId,
      client,
      usedAt: Date.now(),
      users: 0,
      isConnected: false,
      isRetired: false,
    };
    this.sessions.set(target.key, session);
    session.client.then(
      () => {
        session.isConnected = true;
        this.failures.delete(target.key);
      },
      () => this.forget(target.key, session),
    );
    if (this.sessions.size > mostSessions) this.endLeastUsed();
    return session;
  }

  private async connect(target: McpTarget, onLost: () => void): Promise<Client> {
    const isStdio = 'command' in target.at;
    const client = new Client(
      { name: 'countersign', version: '0.1.0' },
      {
        // old servers leave unknown requests on a pipe unanswered; asking for the version there costs a whole time-out
        versionNegotiation: { mode: isStdio ? 'legacy' : 'auto' },
        inputRequired: { autoFulfill: false },
        listMaxPages: 20,
      },
    );
    client.onerror = (error) =>
      this.log.debug({ err: error, target: target.key }, 'an upstream server said something strange');
    const transport = 'command' in target.at ? this.stdio(target.at.command) : this.http(target, target.at);
    try {
      await client.connect(transport, { timeout: Math.min(target.timeoutMs, 15_000) });
    } catch (error) {
      await client.close();
      if (!(transport instanceof StdioTransport)) throw error;
      this.backOff(target.key);
      throw new NotSent(
        `The command "${transport.name}" did not start as an MCP server: ${transport.complaint ?? explain(error)}`,
        { cause: error },
      );
    }
    client.onclose = onLost;
    return client;
  }

  private stdio(command: StdioCommand): StdioTransport {
    return new StdioTransport(command, () => this.markSent());
  }

  private http(
    target: McpTarget,
    { url, headers }: { url: URL; headers: Record<string, string> },
  ): StreamableHTTPClientTransport {
    const fetch = (input: string | URL, init?: RequestInit) => {
      const carried = [...new Headers(init?.headers), ...Object.entries(traceHeaders())] as [string, string][];
      return this.outgoing.fetch(input, {
        ...init,
        headers: carried,
        headersTimeoutMs: target.timeoutMs,
        // a GET only listens, silence is its normal state
        idleTimeoutMs: init?.method === 'GET' ? idleMs : target.timeoutMs,
        onSent: () => this.markSent(),
      });
    };
    return new StreamableHTTPClientTransport(url, { fetch, requestInit: { headers } });
  }

  private markSent(): void {
    const journey = this.journeys.getStore();
    if (journey) journey.isSent = true;
  }

  /** The other side ended it; what we end ourselves is no longer among the sessions. */
  private lost(target: McpTarget, session: Session): void {
    if (this.sessions.get(target.key) !== session) return;
    this.forget(target.key, session);
    if ('command' in target.at) this.backOff(target.key);
  }

  private forget(key: string, session: Session): void {
    if (this.sessions.get(key) === session) this.sessions.delete(key);
  }

  /** A command that ends again and again is started less and less often. */
  private backOff(key: string): void {
    const count = (this.failures.get(key)?.count ?? 0) + 1;
    this.failures.set(key, { count, until: Date.now() + Math.min(longestBackOffMs, 500 * 2 ** count) });
  }

  private refuseWhileBackingOff(target: McpTarget): void {
    const failed = this.failures.get(target.key);
    const waitMs = (failed?.until ?? 0) - Date.now();
    if (failed && waitMs > 0)
      throw new NotSent(
        `The command ended ${failed.count} times; it is started again in ${Math.ceil(waitMs / 1000)} seconds.`,
      );
  }

  private async end(key: string): Promise<void> {
    const session = this.sessions.get(key);
    this.sessions.delete(key);
    if (session) await this.close(key, session);
  }

  private async close(key: string, { client }: Session): Promise<void> {
    try {
      await (await client).close();
    } catch (error) {
      this.log.debug({ err: error, target: key }, 'an upstream server was already gone');
    }
  }

  /** No new call takes the session; those that are under way come to their end in it. */
  private retire(key: string, session: Session): void {
    this.forget(key, session);
    session.isRetired = true;
    if (!session.users) void this.close(key, session);
  }

  private leave(connectionIds: readonly string[]): void {
    for (const [key, session] of this.sessions)
      if (connectionIds.includes(session.connectionId)) this.retire(key, session);
  }

  private sweep(): void {
    const before = Date.now() - idleMs;
    for (const [key, { users, usedAt }] of this.sessions) if (!users && usedAt < before) void this.end(key);
    for (const [key, { until }] of this.failures) if (until + idleMs < Date.now()) this.failures.delete(key);
  }

  private endLeastUsed(): void {
    const [least] = [...this.sessions].filter(([, { users }]) => !users).sort(([, a], [, b]) => a.usedAt - b.usedAt);
    if (least) void this.end(least[0]);
  }
}
