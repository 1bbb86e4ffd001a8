import type { Day } from '../usage-row.js';

const lastDayOfMonth = (year: number, month: number) => new Date(Date.UTC(year, month + 1, 0)).getUTCDate();

/** When the cycle of a month begins; one that begins on the 31st begins earlier in shorter months. */
function cycleStart(year: number, month: number, cycleDay: number): Day {
  const first = new Date(Date.UTC(year, month, 1));
  const day = Math.min(cycleDay, lastDayOfMonth(first.getUTCFullYear(), first.getUTCMonth()));
  return new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10);
}

/** The vendor's billing period that a day is in: from a day of one month until before that day of the next. */
export function billingPeriod(day: Day, cycleDay: number): { start: Day; end: Day } {
  const [year, month] = day.split('-').map(Number);
  const own = cycleStart(year, month - 1, cycleDay);
  return day >= own
    ? { start: own, end: cycleStart(year, month, cycleDay) }
    : { start: cycleStart(year, month - 2, cycleDay), end: own };
}
