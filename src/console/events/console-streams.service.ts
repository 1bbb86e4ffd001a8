import { Injectable } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import type { Request, Response } from 'express';
import { SessionsService } from '../../access/sessions.service.js';
import { Config } from '../../platform/config/config.js';
import { rateLimited } from '../../platform/errors/general.error.js';
import { type EventStream, openStream } from '../../platform/http/sse.js';
import { InFlightLimit, type InFlightSlot } from '../../platform/limits/in-flight-limit.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import { MetricsService } from '../../platform/telemetry/metrics.service.js';
import type { Permission } from '../../principal/permissions.js';
import type { Principal } from '../../principal/principal.js';
import { type TenantConsoleEvent, ConsoleEventReader } from './console-event-reader.service.js';
import { eventVisibleTo } from './console-event.js';

const eventPollIntervalMs = 500;
/** Interval of checks for ended sessions and changed permissions. */
const revalidationIntervalMs = 3000;
/** Jitter: after a restart, each console reconnects and reloads everything that it shows. */
const retryMs = () => 500 + Math.floor(Math.random() * 1500);
/** Per session: the tabs of a browser, and streams that it has not closed yet. */
const maxStreamsPerSession = 24;
/** Covers changes made while the page was loading. */
const graceMs = 2000;

interface ConsoleSubscriber {
  principal: Principal;
  stream: EventStream;
  since: number;
}

/**
 * The consoles that are connected to this process. They receive kinds and ids only, and load the data through the API,
 * which checks permissions.
 */
@Injectable()
export class ConsoleStreamsService {
  private readonly subscribers = new Set<ConsoleSubscriber>();
  private readonly streams = new InFlightLimit();
  private isPolling = false;
  private revalidatedAt = performance.now();

  constructor(
    private readonly eventReader: ConsoleEventReader,
    private readonly sessions: SessionsService,
    private readonly config: Config,
    private readonly log: LogService,
    private readonly metrics: MetricsService,
  ) {}

  open(principal: Principal, request: Request, response: Response): void {
    const slot = this.acquireSlot(principal);
    const stream = openStream(request, response, this.config.stream);
    const reader = { principal, stream, since: Date.now() - graceMs };
    this.subscribers.add(reader);
    this.metrics.streams.inc();
    stream.onClose(() => {
      this.subscribers.delete(reader);
      slot.release();
      this.metrics.streams.dec();
    });
    stream.send({ event: 'open', retry: retryMs(), data: '{}' });
    if (this.subscribers.size === 1) void this.pollEvents();
  }

  private acquireSlot({ sessionId }: Principal): InFlightSlot {
    const slot = this.streams.acquire(sessionId!, maxStreamsPerSession);
    if (slot) return slot;
    throw rateLimited(`A session can have at most ${maxStreamsPerSession} open consoles. Close one and try again.`, {
      headers: { 'Retry-After': '5' },
    });
  }

  @Interval(eventPollIntervalMs)
  protected async pollEvents(): Promise<void> {
    if (this.isPolling || !this.subscribers.size) return;
    this.isPolling = true;
    try {
      await this.publishEvents();
      if (performance.now() - this.revalidatedAt < revalidationIntervalMs) return;
      this.revalidatedAt = performance.now();
      await this.closeRevoked();
    } catch (error) {
      this.log.warn({ err: error }, 'console events could not be published; the next poll retries');
    } finally {
      this.isPolling = false;
    }
  }

  private async publishEvents(): Promise<void> {
    const tenantIds = new Set([...this.subscribers].map(({ principal }) => principal.tenantId));
    const changes = Map.groupBy(await this.eventReader.readNext([...tenantIds]), ({ tenantId }) => tenantId);
    for (const reader of this.subscribers) publishTo(reader, changes.get(reader.principal.tenantId) ?? []);
  }

  /** Closes streams whose session has ended or whose permissions changed. Clients reconnect if they still may. */
  private async closeRevoked(): Promise<void> {
    const readers = [...this.subscribers];
    const permissions = await this.sessions.permissionsBySession(readers.map(({ principal }) => principal));
    for (const { principal, stream } of readers)
      if (!hasSamePermissions(permissions.get(principal.sessionId!), principal.permissions)) stream.close();
  }
}

function publishTo({ principal, stream, since }: ConsoleSubscriber, changes: readonly TenantConsoleEvent[]): void {
  const visibleEvents = changes
    .filter(({ at }) => at >= since)
    .flatMap(({ event }) => eventVisibleTo(principal, event) ?? []);
  const uniqueEvents = new Map(visibleEvents.map((news) => [`${news.kind} ${news.id}`, news]));
  for (const { kind, id } of uniqueEvents.values()) stream.send({ event: kind, data: JSON.stringify({ id }) });
}

const hasSamePermissions = (now: ReadonlySet<Permission> | undefined, before: ReadonlySet<Permission>): boolean =>
  now !== undefined && now.size === before.size && [...now].every((permission) => before.has(permission));
