import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Count, counts, type Day, type UsageRow, type VendorIdentity } from '../usage-row.js';
import type { Page } from '../vendor.js';
import { nobody, sameIdentity } from '../vendor-identity.js';
import type { Answer } from './cursor-api.js';
import { identityOf } from './cursor-identities.js';
import { endpoints } from './endpoints.js';
import type { Place } from './paging.js';
import { isObject } from './parse-answer.js';
import { ReadingNotes } from './reading-notes.js';
import { trouble } from './refusals.js';
import { RowFields } from './row-fields.js';
import { dayAt } from './utc-day.js';

/** What each metric is called by Cursor. Lines are those that came from its suggestions, without what people typed themselves. */
const sources: Record<Count, string> = {
  ai_requests_chat: 'chatRequests',
  ai_requests_agent: 'agentRequests',
  ai_requests_composer: 'composerRequests',
  ai_requests_cmdk: 'cmdkUsages',
  tab_completions_shown: 'totalTabsShown',
  tab_completions_accepted: 'totalTabsAccepted',
  applies_accepted: 'totalAccepts',
  applies_rejected: 'totalRejects',
  lines_accepted_added: 'acceptedLinesAdded',
  lines_accepted_deleted: 'acceptedLinesDeleted',
  subscription_included_requests: 'subscriptionIncludedReqs',
  usage_based_requests: 'usageBasedReqs',
  byo_api_key_requests: 'apiKeyReqs',
};

const known = new Set([
  ...['userId', 'email', 'day', 'date', 'isActive', 'clientVersion', 'bugbotUsages', 'mostUsedModel'],
  ...['totalLinesAdded', 'totalLinesDeleted', 'totalApplies', 'applyMostUsedExtension', 'tabMostUsedExtension'],
  ...Object.values(sources),
]);

interface Account {
  userId: string | null;
  /** The pages on which it was met, numbered over all readings. */
  first: number;
  last: number;
}

/** Some days of everybody, as they come in page by page: each user and day is let through once. */
export class UsageWindow {
  private readonly accounts = new Map<string, Account>();
  private readonly unnamedDays = new Map<Day, UsageRow>();
  private visit = 0;
  private begunAt = 0;
  private totals: (number | undefined)[] = [];
  private isShaky = true;
  private isProgressing = true;
  hasMore = true;

  constructor(
    private readonly from: Day,
    private readonly to: Day,
  ) {}

  begin(): void {
    this.begunAt = this.visit + 1;
    this.totals = [];
    this.isShaky = false;
    this.hasMore = true;
    this.unnamedDays.clear();
  }

  /** Whether the last reading went from its first to its last page without the list having moved below it. */
  get heldStill(): boolean {
    return !this.isShaky && this.totals.at(0) === this.totals.at(-1);
  }

  /** What the vendor counts without saying for whom: a day of it is one row. */
  unnamed(): UsageRow[] {
    return [...this.unnamedDays.values()];
  }

  async read({ data }: Answer, { total, hasNext }: Place): Promise<Page<UsageRow>> {
    if (!Array.isArray(data)) throw trouble('unexpected_answer', endpoints.usage, 'it has no list "data"');
    this.visit++;
    this.totals.push(total);
    this.isProgressing = false;
    const notes = new ReadingNotes();
    const rows = new Map<string, UsageRow>();
    for (const [index, row] of data.entries()) {
      this.readRow(row, index, notes, rows);
      if (index % 2000 === 1999) await nextTurn();
    }
    this.hasMore = hasNext && this.isProgressing; // a page without anybody new promises no end
    if (hasNext && !this.isProgressing) this.isShaky = true;
    if (notes.isHopeless)
      throw trouble('unexpected_answer', endpoints.usage, `no row can be read (${notes.faulty[0].reason})`);
    return { rows: [...rows.values()], faulty: notes.faulty, unknownFields: notes.unknownFields, vendorTotal: total };
  }

  private readRow(row: unknown, index: number, notes: ReadingNotes, rows: Map<string, UsageRow>): void {
    if (!isObject(row)) return notes.fault(index, 'is no object');
    const fields = new RowFields(row);
    const found = this.usageOf(fields);
    if (found && this.keep(found.usage, found.userId, rows) === 'twice')
      fields.faults.push('a second row of the same user and day');
    if (found) notes.read();
    if (fields.faults.length) notes.fault(index, fields.faults.join(', '));
    notes.fields(row, known);
  }

  private usageOf(fields: RowFields): { usage: UsageRow; userId: string | null } | null {
    const identity = identityOf(fields, { email: 'email', id: 'userId' });
    const day = dayOf(fields);
    if (day === null || day < this.from || day > this.to) {
      fields.faults.push(day === null ? 'has no day' : `${day} was not asked for`);
      return null;
    }
    const usage: UsageRow = { day, identity, clientVersion: fields.text('clientVersion') ?? undefined };
    for (const count of counts) usage[count] = fields.count(sources[count]);
    return { usage, userId: fields.id('userId') };
  }

  private keep(usage: UsageRow, userId: string | null, rows: Map<string, UsageRow>): 'twice' | undefined {
    if (usage.identity === nobody) return this.keepUnnamed(usage);
    const { identity, account } = this.accountOf(usage.identity, userId);
    if (account.last >= this.begunAt && account.last !== this.visit) this.isShaky = true;
    else this.isProgressing = true;
    account.last = this.visit;
    if (account.first !== this.visit) return;
    const place = `${usage.day} ${sameIdentity(identity)}`;
    const other = rows.get(place);
    const row = { ...usage, identity };
    rows.set(place, row); // the later one, should they differ
    return other && !isDeepStrictEqual(other, row) ? 'twice' : undefined;
  }

  private keepUnnamed(usage: UsageRow): undefined {
    this.isProgressing = true;
    const sum = this.unnamedDays.get(usage.day);
    if (!sum) return void this.unnamedDays.set(usage.day, { ...usage, clientVersion: undefined });
    for (const count of counts) sum[count] = plus(sum[count] ?? null, usage[count] ?? null);
  }

  /** A second account with the address of another keeps its own numbers; whose it is, people can say. */
  private accountOf(identity: VendorIdentity, userId: string | null): { identity: VendorIdentity; account: Account } {
    const key = sameIdentity(identity);
    const account = this.accounts.get(key);
    if (!account) {
      const added = { userId, first: this.visit, last: this.visit };
      this.accounts.set(key, added);
      return { identity, account: added };
    }
    account.userId ??= userId;
    if (identity.kind !== 'email' || userId === null || account.userId === userId) return { identity, account };
    const { email } = identity;
    return this.accountOf({ kind: 'vendor_user_id', key: userId, email, vendorUserId: userId }, userId);
  }
}

const plus = (a: number | null, b: number | null) => (a === null ? b : a + (b ?? 0));

function dayOf(fields: RowFields): Day | null {
  const time = fields.time('date');
  return fields.day('day') ?? (time === null ? null : dayAt(time));
}
