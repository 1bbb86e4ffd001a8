import { dayOf, type Day } from '../../platform/time/day.js';
import { type CountMetric, countMetrics, type UsageRow } from '../usage-row.js';
import { type VendorIdentity } from '../../people/vendor-identity.port.js';
import type { CursorResponse } from './cursor-api.js';
import { cursorIdentityOf } from './cursor-identities.js';
import { RowFields } from './row-fields.js';

/** Cursor's name of each metric. Lines are those from its suggestions, without lines that people typed. */
const sources: Record<CountMetric, string> = {
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

export const dailyFields: ReadonlySet<string> = new Set([
  ...['userId', 'email', 'day', 'date', 'isActive', 'clientVersion', 'bugbotUsages', 'mostUsedModel'],
  ...['totalLinesAdded', 'totalLinesDeleted', 'totalApplies', 'applyMostUsedExtension', 'tabMostUsedExtension'],
  ...Object.values(sources),
]);

interface ParsedDailyRow {
  /** Null if the day of the row is unknown. */
  usage: UsageRow | null;
  userId: string | null;
  faults: string[];
}

interface RowOwner {
  identity: VendorIdentity;
  userId: string | null;
}

/** Reads the rows of daily usage. */
export class DailyRowParser {
  private last?: { email: unknown; userId: unknown; owner: RowOwner };

  constructor(private readonly days: ReadonlyMap<Day, unknown>) {}

  parse(row: CursorResponse): ParsedDailyRow {
    const fields = new RowFields(row);
    const { faults } = fields;
    const { identity, userId } = this.ownerOf(fields, row);
    const day = this.requestedDayOf(fields, row);
    if (day === null) {
      faults.push('has no day');
      return { usage: null, userId, faults };
    }
    const usage: UsageRow = { day, identity, clientVersion: fields.text('clientVersion') ?? undefined };
    for (const count of countMetrics) usage[count] = fields.count(sources[count]);
    return { usage, userId, faults };
  }

  /** Rows of a user are adjacent, so most rows have the owner of the previous row. */
  private ownerOf(fields: RowFields, { email, userId }: CursorResponse): RowOwner {
    const { last } = this;
    if (last && email === last.email && userId === last.userId) return last.owner;
    const owner = { identity: cursorIdentityOf(fields, { email: 'email', id: 'userId' }), userId: fields.id('userId') };
    this.last = fields.faults.length ? undefined : { email, userId, owner };
    return owner;
  }

  private requestedDayOf(fields: RowFields, { day }: CursorResponse): Day | null {
    if (typeof day === 'string' && this.days.has(day)) return day;
    const time = fields.time('date');
    return fields.day('day') ?? (time === null ? null : dayOf(time));
  }
}
