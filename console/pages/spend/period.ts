import { dayDifference, isDay, monthOf, plusDays, type DayRange } from '../../../src/platform/time/day.ts';
import { weekOf } from '../../../src/spend/reports/day-range.ts';

/* The period of a page, in UTC days, as vendors count. */

export const periods = [
  { value: 'last-30-days', label: 'Last 30 days' },
  { value: 'last-7-days', label: 'Last 7 days' },
  { value: 'last-week', label: 'Last week' },
  { value: 'this-month', label: 'This month' },
  { value: 'last-month', label: 'Last month' },
  { value: 'last-90-days', label: 'Last 90 days' },
  { value: 'this-year', label: 'This year' },
  { value: 'own', label: 'Custom range' },
] as const;
export type Period = (typeof periods)[number]['value'];

/** A range, and the previous one to compare with. */
export interface Compared extends DayRange {
  before: DayRange;
}

export function periodOf(name: string | null): Period {
  return periods.find(({ value }) => value === name)?.value ?? 'last-30-days';
}

const daysOf: Partial<Record<Period, number>> = { 'last-7-days': 7, 'last-90-days': 90 };

/** `own`: a custom range; where it is invalid, the last 30 days. Weeks begin on Monday. */
export function rangeOf(period: Period, today: string, own: Partial<DayRange> = {}): Compared {
  const thisMonth = monthOf(today);
  const lastMonth = monthOf(plusDays(thisMonth, -1));
  if (period === 'last-week') {
    const from = plusDays(weekOf(today), -7);
    return withBefore({ from, to: plusDays(from, 6) });
  }
  if (period === 'this-month') return { from: thisMonth, to: today, before: sameDays(lastMonth, today, thisMonth) };
  if (period === 'last-month') {
    const before = { from: monthOf(plusDays(lastMonth, -1)), to: plusDays(lastMonth, -1) };
    return { from: lastMonth, to: plusDays(thisMonth, -1), before };
  }
  if (period === 'this-year') {
    const from = `${today.slice(0, 4)}-01-01`;
    return { from, to: today, before: sameDays(`${Number(today.slice(0, 4)) - 1}-01-01`, today, from) };
  }
  if (period === 'own' && isRange(own)) return withBefore(own);
  return withBefore({ from: plusDays(today, 1 - (daysOf[period] ?? 30)), to: today });
}

export const isRange = ({ from, to }: Partial<DayRange>): boolean =>
  from !== undefined && to !== undefined && isDay(from) && isDay(to) && from <= to;

/** The same number of days from `from` on, without days of the current period. */
function sameDays(from: string, today: string, begin: string): DayRange {
  const to = plusDays(from, dayDifference(begin, today));
  return { from, to: to < begin ? to : plusDays(begin, -1) };
}

/** Adds the previous range of the same length. */
function withBefore({ from, to }: Partial<DayRange>): Compared {
  const before = { from: plusDays(from!, -dayDifference(from!, to!) - 1), to: plusDays(from!, -1) };
  return { from: from!, to: to!, before };
}

export type Per = 'day' | 'week' | 'month';
/** The maximum of columns in a chart, and of rows in a response. */
const maxColumns = 200;
const lengths: Record<Per, number> = { day: 1, week: 7, month: 30 };

export const isReadable = (per: Per, { from, to }: DayRange): boolean =>
  dayDifference(from, to) / lengths[per] < maxColumns - 1;

/** The chosen interval, or a default for the length of the range. */
export function perOf(chosen: string | null, range: DayRange): Per {
  const days = dayDifference(range.from, range.to);
  const fallback = days <= 45 ? 'day' : days <= 200 ? 'week' : 'month';
  return (['day', 'week', 'month'] as const).find((per) => per === chosen && isReadable(per, range)) ?? fallback;
}

const dayAndMonth = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const monthAndYear = new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric', timeZone: 'UTC' });
const wholeDay = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** "Nov 3, 2026" */
export const dayName = (day: string): string => wholeDay.format(Date.parse(day));
export const rangeName = ({ from, to }: DayRange): string =>
  from === to ? dayName(from) : `${dayName(from)} – ${dayName(to)}`;
/** The label of a column. */
export const columnName = (per: Per, { from }: DayRange): string =>
  (per === 'month' ? monthAndYear : dayAndMonth).format(Date.parse(from));
