import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { counts, type Day, type UsageRow, type VendorIdentity } from '../usage-row.js';
import type { Page } from '../vendor.js';
import { nobody, sameIdentity } from '../vendor-identity.js';
import type { Answer } from './cursor-api.js';
import { dailyFields, DailyRows } from './daily-rows.js';
import { endpoints } from './endpoints.js';
import { mostEmptyPages, type Place } from './paging.js';
import { isObject } from './parse-answer.js';
import { ReadingNotes } from './reading-notes.js';
import { trouble } from './refusals.js';
import { daysBetween } from './utc-day.js';

/** Of whom which days were met; a bit per day of the window. */
interface Account {
  userId: string | null;
  handedOver: number;
  /** In the reading and on the page of these numbers. */
  met: number;
  reading: number;
  page: number;
}

/** Some days of everybody, as they come in page by page: each user and day is let through once. */
export class UsageWindow {
  hasMore = true;
  private readonly accounts = new Map<string, Account>();
  private readonly unnamedDays = new Map<Day, UsageRow>();
  private handedOver = 0;
  private reading = 0;
  private page = 0;
  private readonly daily: DailyRows;
  /** A bit of a number for each day. */
  private readonly bits: ReadonlyMap<Day, number>;
  private now = {
    totals: [] as (number | undefined)[],
    met: 0,
    unnamed: 0,
    added: 0,
    repeated: 0,
    emptyPages: 0,
    isStuck: true,
  };

  constructor(from: Day, to: Day) {
    const days = daysBetween(from, to);
    if (days.length > 31) throw new RangeError('a window of daily usage has at most 31 days');
    this.bits = new Map(days.map((day, place) => [day, 1 << place]));
    this.daily = new DailyRows(this.bits);
  }

  /** From the first page on. */
  begin(): void {
    this.reading++;
    this.hasMore = true;
    this.now = { totals: [], met: 0, unnamed: 0, added: 0, repeated: 0, emptyPages: 0, isStuck: false };
    this.unnamedDays.clear();
  }

  /**
   * Whether the list did not move while it was read from its first to its last page: nobody came or left, and nobody was on two
   * pages. Or everybody was met again, as many as the vendor counts, and nobody else.
   */
  get heldStill(): boolean {
    const { totals, met, added, repeated, isStuck } = this.now;
    if (isStuck || totals[0] !== totals.at(-1)) return false;
    const isComplete = added === 0 && met === this.handedOver && this.accounts.size >= (totals[0] ?? Infinity);
    return repeated === 0 || isComplete;
  }

  /** What the vendor counts without saying for whom: a day of it is one row. */
  unnamed(): UsageRow[] {
    return [...this.unnamedDays.values()];
  }

  async read({ data }: Answer, { total, hasNext }: Place): Promise<Page<UsageRow>> {
    if (!Array.isArray(data)) throw trouble('unexpected_answer', endpoints.usage, 'it has no list "data"');
    this.page++;
    this.now.totals.push(total);
    const before = this.now.met + this.now.unnamed;
    const notes = new ReadingNotes();
    const rows = new Map<string, UsageRow>();
    for (const [index, row] of data.entries()) {
      this.readRow(row, index, notes, rows);
      if (index % 1000 === 999) await nextTurn();
    }
    if (notes.isHopeless)
      throw trouble('unexpected_answer', endpoints.usage, `no row can be read (${notes.faulty[0].reason})`);
    const isProgressing = this.now.met + this.now.unnamed > before;
    this.now.emptyPages = data.length ? 0 : this.now.emptyPages + 1;
    if (data.length ? !isProgressing : this.now.emptyPages > mostEmptyPages) this.now.isStuck = true;
    this.hasMore = hasNext && !this.now.isStuck;
    return { rows: [...rows.values()], faulty: notes.faulty, unknownFields: notes.unknownFields, vendorTotal: total };
  }

  private readRow(row: unknown, index: number, notes: ReadingNotes, rows: Map<string, UsageRow>): void {
    if (!isObject(row)) return notes.fault(index, 'is no object');
    const { usage, userId, faults } = this.daily.read(row);
    const bit = usage && this.bits.get(usage.day);
    if (usage && !bit) faults.push(`${usage.day} was not asked for`);
    if (usage && bit) {
      notes.read();
      if (this.keep(usage, bit, userId, rows) === 'twice') faults.push('a second row of the same user and day');
    }
    if (faults.length) notes.fault(index, faults.join(', '));
    notes.fields(row, dailyFields);
  }

  private keep(usage: UsageRow, bit: number, userId: string | null, rows: Map<string, UsageRow>): 'twice' | undefined {
    if (usage.identity === nobody) return this.keepUnnamed(usage);
    const { identity, account } = this.accountOf(usage.identity, userId);
    this.meet(account, bit);
    const place = `${usage.day} ${sameIdentity(identity)}`;
    const other = rows.get(place);
    if (account.handedOver & bit && !other) return;
    if (!other) this.handOver(account, bit);
    const row = { ...usage, identity };
    rows.set(place, row); // the later one, should they differ
    return other && !isDeepStrictEqual(other, row) ? 'twice' : undefined;
  }

  private meet(account: Account, bit: number): void {
    if (account.reading !== this.reading) Object.assign(account, { reading: this.reading, met: 0 });
    if (!(account.met & bit)) this.now.met++;
    else if (account.page !== this.page) this.now.repeated++;
    account.met |= bit;
    account.page = this.page;
  }

  private handOver(account: Account, bit: number): void {
    account.handedOver |= bit;
    this.handedOver++;
    this.now.added++;
  }

  private keepUnnamed(usage: UsageRow): undefined {
    this.now.unnamed++;
    const sum = this.unnamedDays.get(usage.day);
    if (!sum) return void this.unnamedDays.set(usage.day, { ...usage, clientVersion: undefined });
    for (const count of counts) sum[count] = plus(sum[count] ?? null, usage[count] ?? null);
  }

  /** A second account with the address of another keeps its own numbers; whose it is, people can say. */
  private accountOf(identity: VendorIdentity, userId: string | null): { identity: VendorIdentity; account: Account } {
    const key = sameIdentity(identity);
    let account = this.accounts.get(key);
    if (!account) this.accounts.set(key, (account = { userId, handedOver: 0, met: 0, reading: 0, page: 0 }));
    account.userId ??= userId;
    if (identity.kind !== 'email' || userId === null || account.userId === userId) return { identity, account };
    const { email } = identity;
    return this.accountOf({ kind: 'vendor_user_id', key: userId, email, vendorUserId: userId }, userId);
  }
}

const plus = (a: number | null, b: number | null) => (a === null ? b : a + (b ?? 0));
