import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from '@nestjs/common';
import { ConnectionsService } from '../../connections/connections.service.js';
import { Database } from '../../platform/database/database.service.js';
import { OwnConnections } from '../../platform/database/own-connections.service.js';
import { Outbox } from '../../platform/events/outbox.service.js';
import { Wakes } from '../../platform/events/wakes.service.js';
import { type JobOutcome, Queue } from '../../platform/queue/queue.service.js';
import { Log } from '../../platform/telemetry/log.service.js';
import { VendorTrouble } from '../vendor.js';
import { SpendVendors } from '../vendors.service.js';
import { Calendar } from './calendar/calendar.service.js';
import { findFeed, type FeedRow, postponeFeed, releaseFeed, troubleFeed } from './feeds/feeds.sql.js';
import { hold, type Lease, Overtaken } from './feeds/lease.js';
import { FeedLeases } from './feeds/leases.service.js';
import { endRun, openRuns, type RunRow } from './feeds/runs.sql.js';
import { MembersSync } from './members-sync.service.js';
import { PullTurn, type Tools } from './pull-turn.js';
import { IdentityBook } from './staging/identity-book.js';
import { Staging } from './staging/staging.js';
import { type SyncFailure, syncFailure } from './sync-failure.js';
import { DaySwap } from './swap/day-swap.service.js';
import { spendTopic } from './topics.js';

/** Of one process; each holds a connection to the database and a day of events at most. */
const mostTurns = 3;
const hourMs = 3_600_000;
const notAdmittedMs = { quarantined: 60_000, wait: 10_000 };

/**
 * Pulls what is due. Apart from the queue: a vendor that makes us wait for hours would leave no worker for approved calls.
 */
@Injectable()
export class Pulling implements OnModuleInit, BeforeApplicationShutdown {
  private readonly turns = new Set<Promise<void>>();
  private readonly ending = new AbortController();
  private readonly tools: Tools;

  constructor(
    private readonly database: Database,
    private readonly own: OwnConnections,
    private readonly queue: Queue,
    private readonly connections: ConnectionsService,
    private readonly vendors: SpendVendors,
    private readonly leases: FeedLeases,
    private readonly calendar: Calendar,
    private readonly log: Log,
    private readonly wakes: Wakes,
    swap: DaySwap,
    members: MembersSync,
    outbox: Outbox,
  ) {
    this.tools = { swap, members, outbox, wakes, log };
  }

  onModuleInit(): void {
    this.queue.every('spend.due', 1, () => this.takeDue());
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.ending.abort(new Error('the server is shutting down'));
    await Promise.all(this.turns);
  }

  /** Begins what is due, as far as there is room; it goes on afterwards. */
  async takeDue(): Promise<void> {
    const free = mostTurns - this.turns.size;
    if (free <= 0 || this.ending.signal.aborted) return;
    const leases = await this.leases.take(free);
    if (leases.length) await this.calendar.turnPages();
    for (const lease of leases) {
      const turn = this.turn(lease).finally(() => this.turns.delete(turn));
      this.turns.add(turn);
    }
  }

  /** Once the sync is quarantined, a turn only checks whether it was released. */
  private async turn(lease: Lease): Promise<void> {
    const { principal, connectionId } = lease;
    try {
      const payload = { tenantId: principal.tenantId, connectionId };
      const admission = await this.queue.runOutsideQueue('spend.sync', payload, () => this.pull(lease));
      if (admission !== 'admitted') await this.postpone(lease, new Date(Date.now() + notAdmittedMs[admission]));
    } catch (error) {
      this.log.error({ err: error, connectionId }, 'a pull could not begin or end; it is tried again');
    }
  }

  private async pull(lease: Lease): Promise<JobOutcome> {
    const begun: { turn?: PullTurn } = {};
    try {
      const nextAt = await this.work(lease, begun);
      await this.release(lease, nextAt);
    } catch (error) {
      if (error instanceof Overtaken) return;
      const isEnding = this.ending.signal.aborted;
      const told = isEnding ? this.release(lease, new Date()) : this.fail(lease, syncFailure(error, begun.turn?.step));
      await told.catch((failure: unknown) => {
        if (!(failure instanceof Overtaken)) this.log.error({ err: failure }, 'a pull could not be given back');
      });
      if (isEnding) return 'postponed';
    }
  }

  private async work(lease: Lease, begun: { turn?: PullTurn }): Promise<Date> {
    const { principal, connectionId } = lease;
    const connection = await this.connections.get(principal, connectionId);
    const vendor = this.vendors.get(connection.kind);
    return this.own.use(async (own) => {
      const waitsUntil = () => begun.turn?.waitsUntil ?? null;
      return this.leases.during(lease, waitsUntil, this.ending.signal, async (signal) => {
        const { context } = await this.connections.open(principal, connection, signal);
        const [book, staging] = [new IdentityBook(own, lease), new Staging(own.client)];
        begun.turn = new PullTurn(own, lease, vendor, { context, signal }, book, staging, this.tools);
        return begun.turn.work();
      });
    });
  }

  private release({ principal, connectionId, epoch }: Lease, nextAt: Date): Promise<void> {
    return this.database.tenant(principal, (tx) =>
      tx.query(releaseFeed, [principal.tenantId, connectionId, epoch, nextAt]),
    );
  }

  private postpone({ principal, connectionId, epoch }: Lease, nextAt: Date): Promise<void> {
    return this.database.tenant(principal, (tx) =>
      tx.query(postponeFeed, [principal.tenantId, connectionId, epoch, nextAt]),
    );
  }

  /** What may pass by itself leaves its run open; what a person has to see to ends it. */
  private async fail(lease: Lease, { error, code, detail, step }: SyncFailure): Promise<void> {
    const { principal, connectionId, epoch } = lease;
    const isKnown = error instanceof VendorTrouble;
    this.log.warn({ err: error, connectionId, code, step }, 'a spend sync failed');
    await this.database.tenant(principal, async (tx) => {
      await hold(tx, lease);
      const place = [principal.tenantId, connectionId];
      const [{ failures }] = await tx.query<FeedRow[]>(findFeed, place);
      if (isKnown && !error.isPassing && code !== 'unexpected_answer')
        for (const { id } of await tx.query<RunRow[]>(openRuns, place))
          await tx.query(endRun, [principal.tenantId, id, 'failed', code, detail]);
      await tx.query(troubleFeed, [...place, epoch, code, detail, retryAt(error, failures)]);
    });
    this.wakes.send(spendTopic, connectionId);
  }
}

/** 1, 2, 4 … minutes, an hour at most; later where the vendor says so. What no waiting helps is tried again each hour. */
function retryAt(error: unknown, failures: number): Date {
  const patient = !(error instanceof VendorTrouble) || error.isPassing || error.code === 'unexpected_answer';
  const pauseMs = patient ? Math.min(hourMs, 60_000 * 2 ** Math.min(failures, 10)) : hourMs;
  const asked = error instanceof VendorTrouble ? (error.retryAfter?.getTime() ?? 0) : 0;
  return new Date(Math.max(Date.now() + pauseMs, Math.min(asked, Date.now() + 24 * hourMs)));
}
