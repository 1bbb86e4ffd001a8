import { dayOf, type Day } from '../../platform/time/day.js';
import { ExactSum } from '../exact-sum.js';
import type { Cents } from '../usage-row.js';
import type { VendorSync } from '../vendor.js';
import type { CursorResponse, CursorApi } from './cursor-api.js';
import { cursorEndpoints } from './endpoints.js';
import { maxListPages, maxReadPasses, pagePositionOf } from './paging.js';
import { isPlainObject } from './parse-response.js';
import { unstableListError, cursorError } from './cursor-errors.js';
import { RowFields } from './row-fields.js';

/** The vendor's total for all users since the billing cycle began. Null if the vendor does not report the start. */
export async function billingCycleTotal(
  api: CursorApi,
  sync: VendorSync,
): Promise<{ start: Day; cents: Cents } | null> {
  for (let reading = 1; reading <= maxReadPasses; reading++) {
    const cycle = await readCyclePass(api, sync);
    if (cycle === null || cycle.heldStill) return cycle && { start: cycle.start, cents: cycle.cents };
  }
  throw unstableListError(cursorEndpoints.spend);
}

async function readCyclePass(
  api: CursorApi,
  sync: VendorSync,
): Promise<{ start: Day; cents: Cents; heldStill: boolean } | null> {
  const sum = new ExactSum();
  const totals: (number | undefined)[] = [];
  let start: number | null = null;
  let before = '';
  for (let page = 1, hasNext = true; hasNext; page++) {
    if (page > maxListPages) throw cursorError('unexpected_answer', cursorEndpoints.spend, 'the list does not end');
    // sorted by user, because amounts change during the read
    const body = { sortBy: 'user', sortDirection: 'asc', page, pageSize: 1000 };
    const answer = await api.request(sync, cursorEndpoints.spend, { body });
    const rows = rowsOf(answer);
    const serialized = JSON.stringify(rows);
    if (rows.length && serialized === before)
      throw cursorError('unexpected_answer', cursorEndpoints.spend, 'every page is the same');
    before = serialized;
    for (const row of rows) sum.add(spentCentsOf(row));
    start ??= new RowFields(answer).time('subscriptionCycleStart');
    const position = pagePositionOf(answer, page, answer.totalMembers);
    totals.push(position.total);
    hasNext = position.hasNext && rows.length > 0;
  }
  return start === null ? null : { start: dayOf(start), cents: sum.toString(), heldStill: totals[0] === totals.at(-1) };
}

function rowsOf({ teamMemberSpend: rows }: CursorResponse): unknown[] {
  if (!Array.isArray(rows))
    throw cursorError('unexpected_answer', cursorEndpoints.spend, 'the list "teamMemberSpend" is missing');
  return rows;
}

/** Includes usage covered by the subscription. Older responses contain only the overage. */
function spentCentsOf(row: unknown): Cents {
  const fields = new RowFields(isPlainObject(row) ? row : {});
  const cents = fields.decimal('overallSpendCents') ?? fields.decimal('spendCents');
  if (cents === null)
    throw cursorError('unexpected_answer', cursorEndpoints.spend, fields.faults[0] ?? 'a row has no overallSpendCents');
  return cents;
}
