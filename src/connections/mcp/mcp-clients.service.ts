import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from '@nestjs/common';
import { follow } from '../../platform/events/follow.js';
import { Wakes } from '../../platform/events/wakes.service.js';
import { Closing } from '../../platform/http/closing.service.js';
import { Outgoing } from '../../platform/http/outgoing.service.js';
import { Log } from '../../platform/telemetry/log.service.js';
import { within } from '../deadline.js';
import { connectionsTopic } from '../topics.js';
import { withBoundedMessages } from './bounded-messages.js';
import { HttpTransport } from './http-transport.js';
import { Journey, journeys } from './journey.js';
import { McpClient } from './mcp-client.js';
import { ownError, statusOf } from './mcp-failures.js';
import { McpNews } from './mcp-news.service.js';
import type { McpTarget } from './mcp-target.js';
import { profileKey, profileOf, type Profile } from './profile.js';
import { StdioCommands } from './stdio/stdio-commands.service.js';
import { StdioTransport } from './stdio/stdio-transport.js';

interface Session {
  key: string;
  connectionId: string;
  client: Promise<McpClient>;
  usedAt: number;
  users: number;
  isConnected: boolean;
  /** Takes no new call, and ends with its last one. */
  isRetired: boolean;
}

const idleMs = 5 * 60_000;
const sweepMs = 60_000;
const mostSessions = 200;
const longestStartMs = 15_000;

/** Clients of upstream servers, kept open between calls. */
@Injectable()
export class McpClients implements BeforeApplicationShutdown, OnModuleInit {
  private readonly sessions = new Map<string, Session>();
  private readonly sweeper = setInterval(() => this.sweep(), sweepMs).unref();

  constructor(
    private readonly outgoing: Outgoing,
    private readonly commands: StdioCommands,
    private readonly news: McpNews,
    private readonly wakes: Wakes,
    private readonly closing: Closing,
    private readonly log: Log,
  ) {}

  onModuleInit(): void {
    // 'all' says only that something may have been missed: the next call uses the present revision, the sweep ends the old one
    this.wakes.on(connectionsTopic, (ids) => ids !== 'all' && this.leave(ids));
  }

  /**
   * After the modules whose calls use these clients have let their calls end: a call that was admitted just before may reach its
   * server only now. The outcome of a call that is cut off is unknown.
   */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.sweeper);
    await this.closing.letEnd(() => [...this.sessions.values()].some(({ users }) => users > 0));
    await Promise.all([...this.sessions.values()].map((session) => this.end(session)));
  }

  /**
   * `run` heeds its signal, which also ends when the server can no longer answer. `journey` tells, whatever `run` ends with, whether
   * its own request was sent; connecting does not count.
   */
  async use<T>(
    target: McpTarget,
    signal: AbortSignal,
    run: (client: McpClient, signal: AbortSignal) => Promise<T>,
    journey = new Journey(),
  ): Promise<T> {
    try {
      return await this.attempt(target, signal, run, journey);
    } catch (error) {
      journey.fail();
      throw journey.lost.aborted ? journey.lost.reason : error;
    } finally {
      journey.end();
    }
  }

  private async attempt<T>(
    target: McpTarget,
    signal: AbortSignal,
    run: (client: McpClient, signal: AbortSignal) => Promise<T>,
    journey: Journey,
  ): Promise<T> {
    const session = this.session(target, journey);
    try {
      return await this.within(session, signal, run, journey);
    } catch (error) {
      // a server that lost our session refuses with 404 and has done nothing (MCP 2025-11-25, session management)
      if (statusOf(error) !== 404 || !session.isConnected) throw error;
      this.retire(session);
      return this.within(this.session(target, journey), signal, run, journey);
    }
  }

  private async within<T>(
    session: Session,
    signal: AbortSignal,
    run: (client: McpClient, signal: AbortSignal) => Promise<T>,
    journey: Journey,
  ): Promise<T> {
    session.users++;
    const until = new AbortController();
    const ends = [signal, journey.lost].map((one) => follow(one, (reason) => until.abort(reason)));
    try {
      const client = await within(signal, session.client);
      journey.isSent = false;
      return await client.underWay.during(journey, () => journeys.run(journey, () => run(client, until.signal)));
    } finally {
      for (const letGo of ends) letGo();
      await journey.settling;
      session.users--;
      session.usedAt = Date.now();
      if (session.isRetired && !session.users) void this.close(session);
    }
  }

  private session(target: McpTarget, { conversation }: Journey): Session {
    const profile = profileOf(conversation);
    const key = `${target.key}|${profileKey(profile)}`;
    const known = this.sessions.get(key);
    if (known) return known;
    // what the connection itself brings about is no part of the call that happened to need it first
    const client = journeys.exit(() => this.connect(target, profile, () => this.forget(session)));
    const { connectionId } = target;
    const session: Session = {
      key,
      connectionId,
      client,
      usedAt: Date.now(),
      users: 0,
      isConnected: false,
      isRetired: false,
    };
    this.sessions.set(key, session);
    session.client.then(
      () => (session.isConnected = true),
      () => this.forget(session),
    );
    if (this.sessions.size > mostSessions) this.endLeastUsed();
    return session;
  }

  private async connect(target: McpTarget, profile: Profile, onLost: () => void): Promise<McpClient> {
    const client = new McpClient(profile, 'command' in target.at, (list) => this.news.tell(target, list));
    client.onerror = (error) =>
      this.log.debug({ err: error, target: target.key }, 'an upstream server said something strange');
    const patienceMs = Math.min(target.timeoutMs, longestStartMs);
    const transport =
      'command' in target.at
        ? new StdioTransport(target.at.command, this.commands, patienceMs)
        : new HttpTransport(this.outgoing, target.at, target.timeoutMs);
    try {
      await client.connect(withBoundedMessages(transport), { timeout: patienceMs });
    } catch (error) {
      await client.close();
      throw ownError(error) ?? error;
    }
    client.onclose = () => {
      client.listening.close();
      onLost();
    };
    if (!profile.size) client.listening.open();
    return client;
  }

  private forget(session: Session): void {
    if (this.sessions.get(session.key) === session) this.sessions.delete(session.key);
  }

  private end(session: Session): Promise<void> {
    this.forget(session);
    return this.close(session);
  }

  private async close({ key, client }: Session): Promise<void> {
    try {
      await (await client).close();
    } catch (error) {
      this.log.debug({ err: error, target: key }, 'an upstream server was already gone');
    }
  }

  /** No new call takes the session; those that are under way come to their end in it. */
  private retire(session: Session): void {
    this.forget(session);
    session.isRetired = true;
    if (!session.users) void this.close(session);
  }

  private leave(connectionIds: readonly string[]): void {
    for (const session of this.sessions.values())
      if (connectionIds.includes(session.connectionId)) this.retire(session);
  }

  private sweep(): void {
    const before = Date.now() - idleMs;
    for (const session of this.sessions.values()) if (!session.users && session.usedAt < before) void this.end(session);
  }

  private endLeastUsed(): void {
    const [least] = [...this.sessions.values()].filter(({ users }) => !users).sort((a, b) => a.usedAt - b.usedAt);
    if (least) void this.end(least);
  }
}
