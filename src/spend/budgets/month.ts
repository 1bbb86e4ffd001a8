import { dayDifference, type Day, type DayRange, monthOf, nextMonth, plusDays } from '../../platform/time/day.js';

/** Calendar months in UTC, by their first day. */
export const monthBefore = (month: Day): Day => monthOf(plusDays(month, -1));
export const daysOfMonth = (month: Day): DayRange => ({
  from: month,
  to: plusDays(nextMonth(month), -1),
});

const microUnit = 1_000_000n;
const toMicros = (cents: string): bigint => {
  const [whole, fraction = ''] = cents.split('.');
  return BigInt(whole + fraction.slice(0, 6).padEnd(6, '0'));
};

/** Percent of the budget, truncated to one decimal place: 99.99 does not reach 100. */
export const percentOf = (spent: string, amount: string): number =>
  Number((toMicros(spent) * 1000n) / toMicros(amount)) / 10;

/** Projects the average day up to `today` onto the whole month, in whole cents. Null before the month. */
export function forecast(spent: string, month: Day, today: Day): string | null {
  const { from, to } = daysOfMonth(month);
  if (today < from) return null;
  const [length, elapsed] = [dayDifference(from, to) + 1, dayDifference(from, today < to ? today : to) + 1];
  const half = (microUnit * BigInt(elapsed)) / 2n;
  return String((toMicros(spent) * BigInt(length) + half) / (microUnit * BigInt(elapsed)));
}
