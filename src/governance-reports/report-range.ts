import { firstIdAt } from '../platform/crypto/ids.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import { dayDifference, type DayRange, isDay, plusDays, startOfDay } from '../platform/time/day.js';

export const maxReportDays = 366;
const maxDaysPerDay = 62;

/** The range of a report in the forms that its statements use. `end` is exclusive. */
export interface ReportRange extends DayRange {
  start: Date;
  end: Date;
  /** Since then, the ledger has every call of the range. Ended calls are removed after their retention. */
  ledgerSince: Date;
  /** Ids of calls in the ledger. */
  startId: string;
  endId: string;
  interval: 'day' | 'week';
}

export function reportRangeOf({ from, to }: DayRange, retentionDays: number, now: number): ReportRange {
  if (![from, to].every(isDay))
    throw invalidRequest('"from" and "to" must be days between 2000 and 2199, such as 2026-11-20.');
  if (from > to) throw invalidRequest('"from" must not be after "to".');
  const days = dayDifference(from, to) + 1;
  if (days > maxReportDays) throw invalidRequest(`A report has at most ${maxReportDays} days.`);
  const [start, end] = [startOfDay(from), startOfDay(plusDays(to, 1))];
  const ledgerSince = Math.max(start, now - retentionDays * 86_400_000);
  return {
    from,
    to,
    start: new Date(start),
    end: new Date(end),
    ledgerSince: new Date(ledgerSince),
    startId: firstIdAt(ledgerSince),
    endId: firstIdAt(end),
    interval: days > maxDaysPerDay ? 'week' : 'day',
  };
}
