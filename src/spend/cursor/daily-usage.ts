import { daysOf, startOfDay, type Day } from '../../platform/time/day.js';
import type { UsageRow } from '../usage-row.js';
import type { VendorPage, VendorSync } from '../vendor.js';
import type { CursorApi } from './cursor-api.js';
import { cursorEndpoints } from './endpoints.js';
import { maxListPages, maxReadPasses, pagePositionOf } from './paging.js';
import { isPlainObject } from './parse-response.js';
import { unstableListError, cursorError } from './cursor-errors.js';
import { UsageWindow } from './usage-window.js';
import { endOfDay } from './utc-day.js';

/** Pages count users, and each user has a row per day. This limits a response to a few megabytes. */
const usersPerPage = (from: Day, to: Day) => Math.min(1000, Math.floor(15_000 / daysOf({ from, to }).length));

/**
 * Daily usage of everyone who was a member on these days. If the list changed during the read, it is read again until
 * it is stable, and missed users are emitted then.
 */
export async function* dailyUsage(
  api: CursorApi,
  sync: VendorSync,
  from: Day,
  to: Day,
): AsyncGenerator<VendorPage<UsageRow>> {
  const window = new UsageWindow(from, to);
  for (let pass = 1; !window.isStable; pass++) {
    if (pass > maxReadPasses) throw unstableListError(cursorEndpoints.usage);
    window.beginPass();
    for (let page = 1; window.hasMore; page++) {
      if (page > maxListPages) throw cursorError('unexpected_answer', cursorEndpoints.usage, 'the list does not end');
      const body = { startDate: startOfDay(from), endDate: endOfDay(to), page, pageSize: usersPerPage(from, to) };
      const answer = await api.request(sync, cursorEndpoints.usage, { body });
      const { totalUsers } = isPlainObject(answer.pagination) ? answer.pagination : {};
      const read = await window.read(answer, pagePositionOf(answer, page, totalUsers));
      if (read.rows.length || read.faulty.length) yield read;
    }
  }
  const unnamed = window.unnamed();
  if (unnamed.length) yield { rows: unnamed, faulty: [], unknownFields: {} };
}
