import { dayOf, type Day } from '../../platform/time/day.js';

const lastDayOfMonth = (year: number, month: number) => new Date(Date.UTC(year, month + 1, 0)).getUTCDate();

/** The start of the cycle in a month. A cycle that starts on the 31st starts on the last day of shorter months. */
function cycleStart(year: number, month: number, cycleDay: number): Day {
  const first = new Date(Date.UTC(year, month, 1));
  const day = Math.min(cycleDay, lastDayOfMonth(first.getUTCFullYear(), first.getUTCMonth()));
  return dayOf(Date.UTC(year, month, day));
}

/** The vendor's billing period of a day: from a day of one month to the same day of the next, exclusive. */
export function billingPeriod(day: Day, cycleDay: number): { start: Day; end: Day } {
  const [year, month] = day.split('-').map(Number);
  const own = cycleStart(year, month - 1, cycleDay);
  return day >= own
    ? { start: own, end: cycleStart(year, month, cycleDay) }
    : { start: cycleStart(year, month - 2, cycleDay), end: own };
}
