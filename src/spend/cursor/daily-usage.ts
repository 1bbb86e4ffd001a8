import type { Day, UsageRow } from '../usage-row.js';
import type { Page, Pull } from '../vendor.js';
import type { CursorApi } from './cursor-api.js';
import { endpoints } from './endpoints.js';
import { mostPages, mostReadings, placeOf } from './paging.js';
import { isObject } from './parse-answer.js';
import { restless, trouble } from './refusals.js';
import { UsageWindow } from './usage-window.js';
import { daysBetween, endOf, startOf } from './utc-day.js';

/** Pages count users, of whom each has a row per day: as many users as make an answer of a few megabytes. */
const usersPerPage = (from: Day, to: Day) => Math.min(1000, Math.floor(15_000 / daysBetween(from, to).length));

/**
 * Daily usage of everybody who was a member in these days. A list that changed while it was read is read again, until it holds
 * still, and whoever was missed before is handed over then.
 */
export async function* dailyUsage(api: CursorApi, pull: Pull, from: Day, to: Day): AsyncGenerator<Page<UsageRow>> {
  const window = new UsageWindow(from, to);
  for (let reading = 1; !window.heldStill; reading++) {
    if (reading > mostReadings) throw restless(endpoints.usage);
    window.begin();
    for (let page = 1; window.hasMore; page++) {
      if (page > mostPages) throw trouble('unexpected_answer', endpoints.usage, 'the list does not end');
      const body = { startDate: startOf(from), endDate: endOf(to), page, pageSize: usersPerPage(from, to) };
      const answer = await api.ask(pull, endpoints.usage, { body });
      const { totalUsers } = isObject(answer.pagination) ? answer.pagination : {};
      const read = await window.read(answer, placeOf(answer, page, totalUsers));
      if (read.rows.length || read.faulty.length) yield read;
    }
  }
  const unnamed = window.unnamed();
  if (unnamed.length) yield { rows: unnamed, faulty: [], unknownFields: {} };
}
