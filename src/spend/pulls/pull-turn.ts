import { newId } from '../../platform/crypto/ids.js';
import { afterCommit } from '../../platform/database/database.service.js';
import type { OwnConnection } from '../../platform/database/own-connections.service.js';
import type { Outbox } from '../../platform/events/outbox.service.js';
import type { Wakes } from '../../platform/events/wakes.service.js';
import type { Log } from '../../platform/telemetry/log.service.js';
import type { Day } from '../usage-row.js';
import { type Pull, type Reading, type SpendVendor, VendorTrouble } from '../vendor.js';
import { blameDays } from './calendar/calendar.sql.js';
import { calmFeed, type FeedRow, findFeed, noteCycle, pulledDays } from './feeds/feeds.sql.js';
import { hold, type Lease } from './feeds/lease.js';
import { addRun, advanceRun, endRun, forgetRuns, openRuns, type RunRow, scheduleNext } from './feeds/runs.sql.js';
import { McpUse } from './mcp-use.js';
import type { MembersSync } from './members-sync.service.js';
import { chunkOf, daysAtOnce, dueRuns, mostUrgent, type Pulled, remaining } from './plan.js';
import { ReadingNotes } from './reading-notes.js';
import type { IdentityBook } from './staging/identity-book.js';
import type { Staging } from './staging/staging.js';
import type { DaySwap } from './swap/day-swap.service.js';
import { spendTopic } from './topics.js';

export interface Tools {
  swap: DaySwap;
  members: MembersSync;
  outbox: Outbox;
  wakes: Wakes;
  log: Log;
}
interface Work {
  run: RunRow;
  days: Day[];
}

const membersEveryMs = 50 * 60_000;
const runsKeptDays = 90;

/** One process's turn at one connection: until nothing is due, or it is told to stop. All that lasts is in the tables. */
export class PullTurn {
  /** Days that the vendor answers with something that cannot be read; the others go on. */
  private readonly unreadable = new Set<Day>();
  private trouble?: VendorTrouble;
  private requests = 0;
  private hourlyAt = new Date(0);
  private seats = 0;
  waitsUntil: Date | null = null;
  /** The current step, for the message of a failure. */
  step = 'preparing the sync';
  private readonly pull: Pull;

  constructor(
    private readonly connection: OwnConnection,
    private readonly lease: Lease,
    private readonly vendor: SpendVendor,
    asking: Pick<Pull, 'context' | 'signal'>,
    private readonly book: IdentityBook,
    private readonly staging: Staging,
    private readonly tools: Tools,
  ) {
    this.pull = {
      ...asking,
      onRequest: () => (this.requests += 1),
      onWait: (until) => (this.waitsUntil = until),
    };
  }

  /** Comes back when nothing is left; with when to look again. */
  async work(): Promise<Date> {
    for (;;) {
      this.pull.signal.throwIfAborted();
      const next = await this.nextWork();
      if (!(next instanceof Date)) await this.read(next);
      else if (this.trouble) throw this.trouble;
      else return next;
    }
  }

  private async nextWork(): Promise<Work | Date> {
    const { feed, runs, pulled } = await this.look();
    const clock = { now: new Date(), daysBack: this.vendor.daysBack };
    const due = dueRuns(feed, runs, pulled, clock);
    if (due.length) {
      await this.write(async (tx) => {
        for (const { kind, fromDay, toDay, days } of due)
          await tx.query(addRun, [...this.place, newId(), kind, fromDay, toDay, days, clock.now]);
      });
      return this.nextWork();
    }
    const ready: (RunRow & { days: Day[] })[] = [];
    for (const run of runs) {
      const days = remaining(run, pulled, clock);
      if (!days.length) await this.finish(run);
      else ready.push({ ...run, days: days.filter((day) => !this.unreadable.has(day)) });
    }
    if (ready.length < runs.length) return this.nextWork();
    const run = mostUrgent(ready.filter(({ days }) => days.length));
    if (!run) return new Date(Math.min(...[feed.hourlyAt, feed.dailyAt, feed.weeklyAt].map(Number)));
    this.hourlyAt = feed.hourlyAt;
    await this.syncMembers(feed);
    return { run, days: chunkOf(run.days, daysAtOnce(this.seats, this.vendor.daysBack)) };
  }

  private look(): Promise<{ feed: FeedRow; runs: RunRow[]; pulled: Pulled }> {
    return this.connection.tenant(this.lease.principal, async (tx) => {
      const [feed] = await tx.query<FeedRow[]>(findFeed, this.place);
      const runs = await tx.query<RunRow[]>(openRuns, this.place);
      const days = await tx.query<{ day: Day; pulledAt: Date | null }[]>(pulledDays, [...this.place, '-infinity']);
      return { feed, runs, pulled: new Map(days.map(({ day, pulledAt }) => [day, pulledAt])) };
    });
  }

  private async syncMembers({ membersAt, seats }: FeedRow): Promise<void> {
    this.seats = seats ?? this.seats;
    if (membersAt && Date.now() - membersAt.getTime() < membersEveryMs) return;
    this.step = 'reading the members';
    const members = await this.vendor.members(this.pull);
    this.step = 'storing the members';
    this.seats = await this.tools.members.sync(this.connection, this.lease, this.book, members);
  }

  private async read({ run, days }: Work): Promise<void> {
    const usage = await this.readUsage(days);
    for (const day of days) {
      const events = await this.readEvents(day);
      if (events) await this.replace(run, day, usage, events);
      // what is new goes before what is old; the rest of these days is read again afterwards
      if (run.kind !== 'hourly' && run.kind !== 'daily' && this.hourlyAt <= new Date()) break;
    }
    await this.staging.close();
    this.step = 'matching new people';
    if (this.book.takeNewcomers()) await this.tools.members.matchNew(this.connection, this.lease);
  }

  private async readUsage(days: readonly Day[]): Promise<ReadingNotes> {
    const notes = new ReadingNotes();
    this.step = `reading the usage of ${days.at(-1)} to ${days[0]}`;
    await this.staging.open(days);
    try {
      for await (const page of this.vendor.usage(this.pull, days.at(-1)!, days[0])) {
        const numbers = await this.book.numbers(page.rows.map(({ identity }) => identity));
        await this.book.noteVersions(page.rows);
        await this.staging.addUsage(page.rows, numbers);
        notes.add(page);
      }
      await this.staging.flush();
      await this.book.writeVersions();
    } catch (error) {
      throw await this.blamed(error, days, 'usage');
    }
    return notes;
  }

  private async readEvents(day: Day): Promise<ReadingNotes | null> {
    const notes = new ReadingNotes();
    this.step = `reading the events of ${day}`;
    try {
      const read = await this.vendor.charges(this.pull, day);
      const numbers = await this.book.numbers(read.rows.map(({ identity }) => identity));
      const models = await this.book.modelNumbers(read.rows.map(({ model }) => model));
      await this.staging.putCharges(day, read.rows, numbers, models);
      notes.add(read satisfies Reading);
      return notes;
    } catch (error) {
      const blamed = await this.blamed(error, [day], 'events');
      if (!(blamed instanceof VendorTrouble) || blamed.code !== 'unexpected_answer') throw blamed;
      this.unreadable.add(day);
      this.trouble = blamed;
      return null;
    }
  }

  private async replace(run: RunRow, day: Day, usage: ReadingNotes, events: ReadingNotes): Promise<void> {
    this.step = `storing ${day}`;
    const staged = this.staging.of(day);
    const read = { day, usage: usage.of(staged.usage), events: events.of(staged.events) };
    await this.tools.swap.swap(this.connection, this.lease, read, async (tx, isChanged) => {
      const fields = ReadingNotes.takeFields(usage, events);
      const rows = staged.usage.rows + staged.events.rows;
      const values = [this.takeRequests(), rows, 1, Number(isChanged), JSON.stringify(fields)];
      await tx.query(advanceRun, [this.lease.principal.tenantId, run.id, ...values]);
      await tx.query(calmFeed, this.place);
      afterCommit(tx, () => this.tools.wakes.send(spendTopic, this.lease.connectionId));
    });
  }

  private async finish(run: RunRow): Promise<void> {
    this.step = `completing the sync of ${run.fromDay} to ${run.toDay}`;
    if (run.kind !== 'hourly') await this.readBeside(run);
    await this.write(async (tx) => {
      const { tenantId } = this.lease.principal;
      await tx.query(advanceRun, [tenantId, run.id, this.takeRequests(), 0, 0, 0, '{}']);
      const [[ended]] = await tx.query<[{ changed: number }[], number]>(`${endRun} returning days_changed as changed`, [
        tenantId,
        run.id,
        'done',
        null,
        null,
      ]);
      await tx.query(scheduleNext, [...this.place, run.kind]);
      await tx.query(calmFeed, this.place);
      await tx.query(forgetRuns, [...this.place, runsKeptDays]);
      if (ended?.changed)
        await this.tools.outbox.write(tx, tenantId, 'spend.refreshed', { connectionId: this.lease.connectionId });
      afterCommit(tx, () => this.tools.wakes.send(spendTopic, this.lease.connectionId));
    });
  }

  /** What the vendor tells besides usage. Without it the days are no less right, so its troubles end here. */
  private async readBeside(run: RunRow): Promise<void> {
    const { cycle, mcpUse } = this.vendor;
    try {
      const total = await cycle?.call(this.vendor, this.pull);
      if (total) await this.write((tx) => tx.query(noteCycle, [...this.place, total.start, total.cents]));
      const pages = mcpUse?.call(this.vendor, this.pull, run.fromDay, run.toDay);
      if (pages) await new McpUse(this.connection, this.lease, this.book).replace(run.fromDay, run.toDay, pages);
    } catch (error) {
      if (!(error instanceof VendorTrouble)) throw error;
      const { connectionId } = this.lease;
      this.tools.log.info({ connectionId, code: error.code }, `not read beside usage: ${error.message}`);
    }
  }

  /** The days stay as they are, and say why. */
  private async blamed(error: unknown, days: readonly Day[], stream: 'usage' | 'events'): Promise<unknown> {
    if (!(error instanceof VendorTrouble)) return error;
    await this.write((tx) => tx.query(blameDays, [...this.place, days, stream, error.message]));
    return error;
  }

  private write(work: (tx: Parameters<typeof hold>[0]) => Promise<unknown>): Promise<void> {
    return this.connection.tenant(this.lease.principal, async (tx) => {
      await hold(tx, this.lease);
      await work(tx);
    });
  }

  private takeRequests(): number {
    const { requests } = this;
    this.requests = 0;
    return requests;
  }

  private get place(): [string, string] {
    return [this.lease.principal.tenantId, this.lease.connectionId];
  }
}
