import { Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { SessionsService } from '../../access/sessions.service.js';
import { Config } from '../../platform/config/config.js';
import { rateLimited } from '../../platform/errors/general.error.js';
import { type EventStream, openStream } from '../../platform/http/sse.js';
import { Log } from '../../platform/telemetry/log.service.js';
import { Metrics } from '../../platform/telemetry/metrics.service.js';
import type { Permission } from '../../principal/permissions.js';
import type { Principal } from '../../principal/principal.js';
import { type Change, Changes } from './changes.service.js';
import { heardBy } from './kinds.js';

const lookMs = 500;
/** So often it is asked whose session has ended, or who may do something else than before. */
const standingMs = 3000;
/** Not for all consoles at once: after a restart each of them asks for everything that it shows. */
const retryMs = () => 500 + Math.floor(Math.random() * 1500);
/** What one session may have open: a browser's tabs, and what it has not yet given up. */
const streamsOfSession = 24;
/** What was changed while the page was on its way to its reader. */
const graceMs = 2000;

interface Reader {
  principal: Principal;
  stream: EventStream;
  since: number;
}

/** The consoles that are open at this process. They are told kinds and ids, and ask the API for what they may see of them. */
@Injectable()
export class ConsoleStreams {
  private readonly readers = new Set<Reader>();
  private isLooking = false;

  constructor(
    private readonly changes: Changes,
    private readonly sessions: SessionsService,
    private readonly config: Config,
    private readonly log: Log,
    private readonly metrics: Metrics,
  ) {}

  open(principal: Principal, request: Request, response: Response): void {
    this.requireRoom(principal);
    const stream = openStream(request, response, this.config.stream);
    const reader = { principal, stream, since: Date.now() - graceMs };
    this.readers.add(reader);
    this.metrics.streams.inc();
    stream.onClose(() => {
      this.readers.delete(reader);
      this.metrics.streams.dec();
    });
    stream.send({ event: 'open', retry: retryMs(), data: '{}' });
    if (!this.isLooking) void this.lookOn();
  }

  private requireRoom({ sessionId }: Principal): void {
    const open = [...this.readers].filter(({ principal }) => principal.sessionId === sessionId).length;
    if (open >= streamsOfSession)
      throw rateLimited(`A session may have ${streamsOfSession} consoles open at a time.`, {
        headers: { 'Retry-After': '5' },
      });
  }

  /** As long as there is anybody to be told. */
  private async lookOn(): Promise<void> {
    this.isLooking = true;
    for (let askedAt = performance.now(); this.readers.size; await pause(lookMs)) {
      try {
        await this.tell();
        if (performance.now() - askedAt < standingMs) continue;
        askedAt = performance.now();
        await this.letGo();
      } catch (error) {
        this.log.warn({ err: error }, 'consoles could not be told what changed; the next look tells them');
      }
    }
    this.isLooking = false;
  }

  private async tell(): Promise<void> {
    const tenantIds = new Set([...this.readers].map(({ principal }) => principal.tenantId));
    const changes = Map.groupBy(await this.changes.next([...tenantIds]), ({ tenantId }) => tenantId);
    for (const reader of this.readers) tellOne(reader, changes.get(reader.principal.tenantId) ?? []);
  }

  /** Whose session is over, and who may see something else than before: they come back, if they may. */
  private async letGo(): Promise<void> {
    const readers = [...this.readers];
    const standing = await this.sessions.standing(readers.map(({ principal }) => principal));
    for (const { principal, stream } of readers)
      if (!isSame(standing.get(principal.sessionId!), principal.permissions)) stream.close();
  }
}

function tellOne({ principal, stream, since }: Reader, changes: readonly Change[]): void {
  const heard = changes.filter(({ at }) => at >= since).flatMap(({ news }) => heardBy(principal, news) ?? []);
  const once = new Map(heard.map((news) => [`${news.kind} ${news.id}`, news]));
  for (const { kind, id } of once.values()) stream.send({ event: kind, data: JSON.stringify({ id }) });
}

const isSame = (now: ReadonlySet<Permission> | undefined, before: ReadonlySet<Permission>): boolean =>
  now !== undefined && now.size === before.size && [...now].every((permission) => before.has(permission));

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref());
