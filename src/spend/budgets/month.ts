import { daysBetween, plusDays, type Range } from '../reports/calendar.js';
import type { Day } from '../usage-row.js';

/** Calendar months in UTC, by their first day. */
export const monthOf = (day: Day): Day => `${day.slice(0, 7)}-01`;
export const monthBefore = (month: Day): Day => monthOf(plusDays(month, -1));
export const daysOfMonth = (month: Day): Range => ({ from: month, to: plusDays(monthOf(plusDays(month, 31)), -1) });

const millionth = 1_000_000n;
const inMillionths = (cents: string): bigint => {
  const [whole, fraction = ''] = cents.split('.');
  return BigInt(whole + fraction.slice(0, 6).padEnd(6, '0'));
};

/** Of the budget, to a tenth, cut off: 99.99 is not 100. */
export const percentOf = (spent: string, amount: string): number =>
  Number((inMillionths(spent) * 1000n) / inMillionths(amount)) / 10;

/** If all days of the month were as those up to `today`; in whole cents. Null before the month. */
export function forecast(spent: string, month: Day, today: Day): string | null {
  const { from, to } = daysOfMonth(month);
  if (today < from) return null;
  const [length, so] = [daysBetween(from, to) + 1, daysBetween(from, today < to ? today : to) + 1];
  const half = (millionth * BigInt(so)) / 2n;
  return String((inMillionths(spent) * BigInt(length) + half) / (millionth * BigInt(so)));
}
