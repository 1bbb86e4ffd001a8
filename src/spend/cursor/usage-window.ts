import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { daysOf, type Day } from '../../platform/time/day.js';
import { countMetrics, type UsageRow } from '../usage-row.js';
import type { VendorPage } from '../vendor.js';
import { type VendorIdentity, unattributedIdentity, identityKey } from '../../people/vendor-identity.port.js';
import type { CursorResponse } from './cursor-api.js';
import { dailyFields, DailyRowParser } from './daily-row-parser.js';
import { cursorEndpoints } from './endpoints.js';
import { maxEmptyPages, type PagePosition } from './paging.js';
import { isPlainObject } from './parse-response.js';
import { RowDiagnosticsCollector } from './row-diagnostics-collector.js';
import { cursorError } from './cursor-errors.js';

/** Days of one user that were seen, one bit per day of the window. */
interface UserProgress {
  userId: string | null;
  handedOver: number;
  /** Days seen in the pass `reading`; `page` is the last page with the user. */
  met: number;
  reading: number;
  page: number;
}

/** Collects a range of days page by page. Each user and day is emitted once. */
export class UsageWindow {
  hasMore = true;
  private readonly accounts = new Map<string, UserProgress>();
  private readonly unnamedDays = new Map<Day, UsageRow>();
  private emittedCount = 0;
  private reading = 0;
  private page = 0;
  private readonly rowParser: DailyRowParser;
  /** The bit of each day. */
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
    const days = daysOf({ from, to });
    if (days.length > 31) throw new RangeError('a window of daily usage has at most 31 days');
    this.bits = new Map(days.map((day, place) => [day, 1 << place]));
    this.rowParser = new DailyRowParser(this.bits);
  }

  /** Starts again at the first page. */
  beginPass(): void {
    this.reading++;
    this.hasMore = true;
    this.pass = { totals: [], met: 0, unnamed: 0, added: 0, repeated: 0, emptyPages: 0, isStuck: false };
    this.unnamedDays.clear();
  }

  /**
   * Whether the list was stable during the pass: the total did not change, and nobody was on two pages. Alternatively,
   * the pass saw exactly all known users, as many as the vendor counts.
   */
  get isStable(): boolean {
    const { totals, met, added, repeated, isStuck } = this.pass;
    if (isStuck || totals[0] !== totals.at(-1)) return false;
    const isComplete = added === 0 && met === this.emittedCount && this.accounts.size >= (totals[0] ?? Infinity);
    return repeated === 0 || isComplete;
  }

  /** Unattributed usage, one row per day. */
  unnamed(): UsageRow[] {
    return [...this.unnamedDays.values()];
  }

  async read({ data }: CursorResponse, { total, hasNext }: PagePosition): Promise<VendorPage<UsageRow>> {
    if (!Array.isArray(data))
      throw cursorError('unexpected_answer', cursorEndpoints.usage, 'the list "data" is missing');
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
        `no row is readable (${diagnostics.faulty[0].reason})`,
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
    if (!isPlainObject(row)) return diagnostics.addFault(index, 'is not an object');
    const { usage, userId, faults } = this.rowParser.parse(row);
    const bit = usage && this.bits.get(usage.day);
    if (usage && !bit) faults.push(`${usage.day} was not requested`);
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
    rows.set(place, row); // the later row wins
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

  /** A second account with the same email address stays separate, so that an administrator can match it. */
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
