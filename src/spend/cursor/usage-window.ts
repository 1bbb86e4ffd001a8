import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { countMetrics, type Day, type UsageRow, type VendorIdentity } from '../usage-row.js';
import type { VendorPage } from '../vendor.js';
import { unattributedIdentity, identityKey } from '../vendor-identity.js';
import type { CursorResponse } from './cursor-api.js';
import { dailyFields, DailyRowParser } from './daily-row-parser.js';
import { cursorEndpoints } from './endpoints.js';
import { maxEmptyPages, type PagePosition } from './paging.js';
import { isPlainObject } from './parse-response.js';
import { RowDiagnosticsCollector } from './row-diagnostics-collector.js';
import { cursorError } from './cursor-errors.js';
import { daysBetween } from './utc-day.js';

/** Of whom which days were met; a bit per day of the window. */
interface UserProgress {
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
  private readonly accounts = new Map<string, UserProgress>();
  private readonly unnamedDays = new Map<Day, UsageRow>();
  private emittedCount = 0;
  private reading = 0;
  private page = 0;
  private readonly rowParser: DailyRowParser;
  /** A bit of a number for each day. */
  private readonly bits: ReadonlyMap<Day, number>;
  private pass = {
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
    this.rowParser = new DailyRowParser(this.bits);
  }

  /** From the first page on. */
  beginPass(): void {
    this.reading++;
    this.hasMore = true;
    this.pass = { totals: [], met: 0, unnamed: 0, added: 0, repeated: 0, emptyPages: 0, isStuck: false };
    this.unnamedDays.clear();
  }

  /**
   * Whether the list did not move while it was read from its first to its last page: nobody came or left, and nobody was on two
   * pages. Or everybody was met again, as many as the vendor counts, and nobody else.
   */
  get isStable(): boolean {
    const { totals, met, added, repeated, isStuck } = this.pass;
    if (isStuck || totals[0] !== totals.at(-1)) return false;
    const isComplete = added === 0 && met === this.emittedCount && this.accounts.size >= (totals[0] ?? Infinity);
    return repeated === 0 || isComplete;
  }

  /** What the vendor counts without saying for whom: a day of it is one row. */
  unnamed(): UsageRow[] {
    return [...this.unnamedDays.values()];
  }

  async read({ data }: CursorResponse, { total, hasNext }: PagePosition): Promise<VendorPage<UsageRow>> {
    if (!Array.isArray(data)) throw cursorError('unexpected_answer', cursorEndpoints.usage, 'it has no list "data"');
    this.page++;
    this.pass.totals.push(total);
    const before = this.pass.met + this.pass.unnamed;
    const diagnostics = new RowDiagnosticsCollector();
    const rows = new Map<string, UsageRow>();
    for (const [index, row] of data.entries()) {
      this.readRow(row, index, diagnostics, rows);
      if (index % 1000 === 999) await nextTurn();
    }
    if (diagnostics.hasNoReadableRow)
      throw cursorError(
        'unexpected_answer',
        cursorEndpoints.usage,
        `no row can be read (${diagnostics.faulty[0].reason})`,
      );
    const isProgressing = this.pass.met + this.pass.unnamed > before;
    this.pass.emptyPages = data.length ? 0 : this.pass.emptyPages + 1;
    if (data.length ? !isProgressing : this.pass.emptyPages > maxEmptyPages) this.pass.isStuck = true;
    this.hasMore = hasNext && !this.pass.isStuck;
    return {
      rows: [...rows.values()],
      faulty: diagnostics.faulty,
      unknownFields: diagnostics.unknownFields,
      vendorTotal: total,
    };
  }

  private readRow(
    row: unknown,
    index: number,
    diagnostics: RowDiagnosticsCollector,
    rows: Map<string, UsageRow>,
  ): void {
    if (!isPlainObject(row)) return diagnostics.addFault(index, 'is no object');
    const { usage, userId, faults } = this.rowParser.parse(row);
    const bit = usage && this.bits.get(usage.day);
    if (usage && !bit) faults.push(`${usage.day} was not asked for`);
    if (usage && bit) {
      diagnostics.countReadable();
      if (this.addRow(usage, bit, userId, rows) === 'twice') faults.push('a second row of the same user and day');
    }
    if (faults.length) diagnostics.addFault(index, faults.join(', '));
    diagnostics.countUnknownFields(row, dailyFields);
  }

  private addRow(
    usage: UsageRow,
    bit: number,
    userId: string | null,
    rows: Map<string, UsageRow>,
  ): 'twice' | undefined {
    if (usage.identity === unattributedIdentity) return this.addUnnamedRow(usage);
    const { identity, account } = this.progressOf(usage.identity, userId);
    this.markSeen(account, bit);
    const place = `${usage.day} ${identityKey(identity)}`;
    const other = rows.get(place);
    if (account.handedOver & bit && !other) return;
    if (!other) this.markEmitted(account, bit);
    const row = { ...usage, identity };
    rows.set(place, row); // the later one, should they differ
    return other && !isDeepStrictEqual(other, row) ? 'twice' : undefined;
  }

  private markSeen(account: UserProgress, bit: number): void {
    if (account.reading !== this.reading) Object.assign(account, { reading: this.reading, met: 0 });
    if (!(account.met & bit)) this.pass.met++;
    else if (account.page !== this.page) this.pass.repeated++;
    account.met |= bit;
    account.page = this.page;
  }

  private markEmitted(account: UserProgress, bit: number): void {
    account.handedOver |= bit;
    this.emittedCount++;
    this.pass.added++;
  }

  private addUnnamedRow(usage: UsageRow): undefined {
    this.pass.unnamed++;
    const sum = this.unnamedDays.get(usage.day);
    if (!sum) return void this.unnamedDays.set(usage.day, { ...usage, clientVersion: undefined });
    for (const count of countMetrics) sum[count] = addNullable(sum[count] ?? null, usage[count] ?? null);
  }

  /** A second account with the address of another keeps its own numbers; whose it is, people can say. */
  private progressOf(
    identity: VendorIdentity,
    userId: string | null,
  ): { identity: VendorIdentity; account: UserProgress } {
    const key = identityKey(identity);
    let account = this.accounts.get(key);
    if (!account) this.accounts.set(key, (account = { userId, handedOver: 0, met: 0, reading: 0, page: 0 }));
    account.userId ??= userId;
    if (identity.kind !== 'email' || userId === null || account.userId === userId) return { identity, account };
    const { email } = identity;
    return this.progressOf({ kind: 'vendor_user_id', key: userId, email, vendorUserId: userId }, userId);
  }
}

const addNullable = (a: number | null, b: number | null) => (a === null ? b : a + (b ?? 0));
