import type { Day } from '../usage-row.js';

const lastOf = (year: number, month: number) => new Date(Date.UTC(year, month + 1, 0)).getUTCDate();

/** When the cycle of a month begins; one that begins on the 31st begins earlier in shorter months. */
function beginning(year: number, month: number, cycleDay: number): Day {
  const first = new Date(Date.UTC(year, month, 1));
  const day = Math.min(cycleDay, lastOf(first.getUTCFullYear(), first.getUTCMonth()));
  return new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);
}

/** The vendor's billing period that a day is in: from a day of one month until before that day of the next. */
export function billingPeriod(day: Day, cycleDay: number): { start: Day; end: Day } {
  const [year, month] = day.split('-').map(Number);
  const own = beginning(year, month - 1, cycleDay);
  return day >= own
    ? { start: own, end: beginning(year, month, cycleDay) }
    : { start: beginning(year, month - 2, cycleDay), end: own };
}
