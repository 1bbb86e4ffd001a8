import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { onAbort } from '../platform/events/on-abort.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import { ShutdownService } from '../platform/http/shutdown.service.js';
import { OutboundHttpClient } from '../platform/http/outbound-http-client.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { withinDeadline } from '../platform/events/within-deadline.js';
import { connectionsTopic } from '../connections/connections.events.js';
import { withBoundedMessages } from './bounded-messages.js';
import { HttpTransport } from './http-transport.js';
import { UpstreamCall, upstreamCalls } from './upstream-call.js';
import { McpClient } from './mcp-client.js';
import { callFaultOf, httpStatusOf } from './mcp-failures.js';
import { McpListChangeHandler } from './mcp-list-change-handler.service.js';
import type { McpTarget } from './mcp-target.js';
import { capabilityProfileKey, capabilityProfileOf, type CapabilityProfile } from './capability-profile.js';
import { StdioCommandsService } from './stdio/stdio-commands.service.js';
import { StdioTransport } from './stdio/stdio-transport.js';

interface PooledClient {
  key: string;
  connectionId: string;
  client: Promise<McpClient>;
  usedAt: number;
  users: number;
  isConnected: boolean;
  /** Accepts no new call, and closes after its last one. */
  isRetired: boolean;
}

const idleMs = 5 * 60_000;
const sweepMs = 60_000;
const maxClients = 200;
const maxStartMs = 15_000;

/** Clients of upstream servers, held open between calls. */
@Injectable()
export class McpClientPool implements OnModuleInit {
  private readonly sessions = new Map<string, PooledClient>();

  constructor(
    private readonly outboundHttpClient: OutboundHttpClient,
    private readonly commands: StdioCommandsService,
    private readonly changeHandler: McpListChangeHandler,
    private readonly wakeupChannel: WakeupChannel,
    private readonly shutdown: ShutdownService,
    private readonly log: LogService,
  ) {}

  onModuleInit(): void {
    // 'all' only means that a wakeup may have been missed: the next call uses the current revision, the sweep closes
    // the old client
    this.wakeupChannel.subscribe(connectionsTopic, (ids) => ids !== 'all' && this.retireConnections(ids));
  }

  /** A call that was admitted last may reach its server only now. A call that is cut off has an unknown outcome. */
  async closeAll(): Promise<void> {
    await this.shutdown.drain(() => [...this.sessions.values()].some(({ users }) => users > 0));
    await Promise.all([...this.sessions.values()].map((session) => this.end(session)));
  }

  /**
   * `run` must respect its signal, which also aborts when the server can no longer answer. `upstreamCall` records
   * whether the request of `run` was sent, however it ends; connecting does not count.
   */
  async use<T>(
    target: McpTarget,
    signal: AbortSignal,
    run: (client: McpClient, signal: AbortSignal) => Promise<T>,
    upstreamCall = new UpstreamCall(),
  ): Promise<T> {
    try {
      return await this.attempt(target, signal, run, upstreamCall);
    } catch (error) {
      upstreamCall.fail();
      throw upstreamCall.lost.aborted ? upstreamCall.lost.reason : error;
    } finally {
      upstreamCall.end();
    }
  }

  private async attempt<T>(
    target: McpTarget,
    signal: AbortSignal,
    run: (client: McpClient, signal: AbortSignal) => Promise<T>,
    upstreamCall: UpstreamCall,
  ): Promise<T> {
    const session = this.findOrOpen(target, upstreamCall);
    try {
      return await this.runInSession(session, signal, run, upstreamCall);
    } catch (error) {
      // a server that lost the session answers 404 and has executed nothing (MCP 2025-11-25, session management)
      if (httpStatusOf(error) !== 404 || !session.isConnected) throw error;
      this.retire(session);
      return this.runInSession(this.findOrOpen(target, upstreamCall), signal, run, upstreamCall);
    }
  }

  private async runInSession<T>(
    session: PooledClient,
    signal: AbortSignal,
    run: (client: McpClient, signal: AbortSignal) => Promise<T>,
    upstreamCall: UpstreamCall,
  ): Promise<T> {
    session.users++;
    const until = new AbortController();
    const ends = [signal, upstreamCall.lost].map((one) => onAbort(one, (reason) => until.abort(reason)));
    try {
      const client = await withinDeadline(signal, session.client);
      upstreamCall.isSent = false;
      return await client.callsInProgress.track(upstreamCall, () =>
        upstreamCalls.run(upstreamCall, () => run(client, until.signal)),
      );
    } finally {
      for (const unfollow of ends) unfollow();
      await upstreamCall.settling;
      session.users--;
      session.usedAt = Date.now();
      if (session.isRetired && !session.users) void this.close(session);
    }
  }

  private findOrOpen(target: McpTarget, { conversation }: UpstreamCall): PooledClient {
    const profile = capabilityProfileOf(conversation);
    const key = `${target.key}|${capabilityProfileKey(profile)}`;
    const known = this.sessions.get(key);
    if (known) return known;
    // the connection is shared, so it must not run in the context of the call that needs it first
    const client = upstreamCalls.exit(() => this.connect(target, profile, () => this.forget(session)));
    const { connectionId } = target;
    const session: PooledClient = {
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
    if (this.sessions.size > maxClients) this.endLeastUsed();
    return session;
  }

  private async connect(target: McpTarget, profile: CapabilityProfile, onLost: () => void): Promise<McpClient> {
    const client = new McpClient(profile, 'command' in target.endpoint, (list) =>
      this.changeHandler.onListChanged(target, list),
    );
    client.onerror = (error) =>
      this.log.debug({ err: error, target: target.key }, 'upstream server sent an unexpected message');
    const startTimeoutMs = Math.min(target.timeoutMs, maxStartMs);
    const transport =
      'command' in target.endpoint
        ? new StdioTransport(target.endpoint.command, this.commands, startTimeoutMs)
        : new HttpTransport(this.outboundHttpClient, target.endpoint, target.timeoutMs);
    try {
      await client.connect(withBoundedMessages(transport), { timeout: startTimeoutMs });
    } catch (error) {
      await client.close();
      throw callFaultOf(error) ?? error;
    }
    client.onclose = () => {
      client.changeListener.close();
      onLost();
    };
    if (!profile.size) client.changeListener.open();
    return client;
  }

  private forget(session: PooledClient): void {
    if (this.sessions.get(session.key) === session) this.sessions.delete(session.key);
  }

  private end(session: PooledClient): Promise<void> {
    this.forget(session);
    return this.close(session);
  }

  private async close({ key, client }: PooledClient): Promise<void> {
    try {
      await (await client).close();
    } catch (error) {
      this.log.debug({ err: error, target: key }, 'upstream server was already disconnected');
    }
  }

  /** New calls do not use the session; calls in progress complete in it. */
  private retire(session: PooledClient): void {
    this.forget(session);
    session.isRetired = true;
    if (!session.users) void this.close(session);
  }

  private retireConnections(connectionIds: readonly string[]): void {
    for (const session of this.sessions.values())
      if (connectionIds.includes(session.connectionId)) this.retire(session);
  }

  @Interval(sweepMs)
  protected sweep(): void {
    const before = Date.now() - idleMs;
    for (const session of this.sessions.values()) if (!session.users && session.usedAt < before) void this.end(session);
  }

  private endLeastUsed(): void {
    const [least] = [...this.sessions.values()].filter(({ users }) => !users).sort((a, b) => a.usedAt - b.usedAt);
    if (least) void this.end(least);
  }
}
