import { dayOf } from '../../../src/platform/time/day.ts';

/** This month to date, the same number of days last month (or all of it, if it is shorter), and all of last month; UTC. */
export function monthRanges(now: Date) {
  const [year, month, today] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()];
  const lastEnd = Date.UTC(year, month, 0);
  return {
    thisFrom: dayOf(Date.UTC(year, month, 1)),
    thisTo: dayOf(now.getTime()),
    lastFrom: dayOf(Date.UTC(year, month - 1, 1)),
    lastTo: dayOf(Math.min(Date.UTC(year, month - 1, today), lastEnd)),
    lastEnd: dayOf(lastEnd),
  };
}
