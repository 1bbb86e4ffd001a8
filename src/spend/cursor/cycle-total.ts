import { ExactSum } from '../exact-sum.js';
import type { Cents, Day } from '../usage-row.js';
import type { Pull } from '../vendor.js';
import type { Answer, CursorApi } from './cursor-api.js';
import { endpoints } from './endpoints.js';
import { mostPages, mostReadings, placeOf } from './paging.js';
import { isObject } from './parse-answer.js';
import { restless, trouble } from './refusals.js';
import { RowFields } from './row-fields.js';
import { dayAt } from './utc-day.js';

/** What everybody has used since the billing cycle began, by the vendor's own sum; null where it does not say when that was. */
export async function cycleTotal(api: CursorApi, pull: Pull): Promise<{ start: Day; cents: Cents } | null> {
  for (let reading = 1; reading <= mostReadings; reading++) {
    const cycle = await read(api, pull);
    if (cycle === null || cycle.heldStill) return cycle && { start: cycle.start, cents: cycle.cents };
  }
  throw restless(endpoints.spend);
}

async function read(api: CursorApi, pull: Pull): Promise<{ start: Day; cents: Cents; heldStill: boolean } | null> {
  const sum = new ExactSum();
  const totals: (number | undefined)[] = [];
  let start: number | null = null;
  let before = '';
  for (let page = 1, hasNext = true; hasNext; page++) {
    if (page > mostPages) throw trouble('unexpected_answer', endpoints.spend, 'the list does not end');
    // sorted by user, since amounts grow while they are read
    const body = { sortBy: 'user', sortDirection: 'asc', page, pageSize: 1000 };
    const answer = await api.ask(pull, endpoints.spend, { body });
    const rows = rowsOf(answer);
    const written = JSON.stringify(rows);
    if (rows.length && written === before) throw trouble('unexpected_answer', endpoints.spend, 'each page is the same');
    before = written;
    for (const row of rows) sum.add(spentBy(row));
    start ??= new RowFields(answer).time('subscriptionCycleStart');
    const place = placeOf(answer, page, answer.totalMembers);
    totals.push(place.total);
    hasNext = place.hasNext && rows.length > 0;
  }
  return start === null ? null : { start: dayAt(start), cents: sum.toString(), heldStill: totals[0] === totals.at(-1) };
}

function rowsOf({ teamMemberSpend: rows }: Answer): unknown[] {
  if (!Array.isArray(rows)) throw trouble('unexpected_answer', endpoints.spend, 'it has no list "teamMemberSpend"');
  return rows;
}

/** What is included in the subscription as well; older answers have only what comes on top of it. */
function spentBy(row: unknown): Cents {
  const fields = new RowFields(isObject(row) ? row : {});
  const cents = fields.decimal('overallSpendCents') ?? fields.decimal('spendCents');
  if (cents === null)
    throw trouble('unexpected_answer', endpoints.spend, fields.faults[0] ?? 'a row has no overallSpendCents');
  return cents;
}
