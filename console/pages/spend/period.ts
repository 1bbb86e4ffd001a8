import { daysBetween, isDay, monthOf, plusDays, type Range } from '../../../src/spend/reports/day-range.ts';

/* Which days a page is about. All of them are UTC days, as the vendors count. */

export const periods = [
  { value: 'last-30-days', label: 'Last 30 days' },
  { value: 'this-month', label: 'This month' },
  { value: 'last-month', label: 'Last month' },
  { value: 'last-90-days', label: 'Last 90 days' },
  { value: 'this-year', label: 'This year' },
  { value: 'own', label: 'Own range' },
] as const;
export type Period = (typeof periods)[number]['value'];

/** A range, and the one that it is compared with. */
export interface Compared extends Range {
  before: Range;
}

export function periodOf(name: string | null): Period {
  return periods.find(({ value }) => value === name)?.value ?? 'last-30-days';
}

/** `own`: what was chosen in the calendar; where that is no range, the last thirty days stand in. */
export function rangeOf(period: Period, today: string, own: Partial<Range> = {}): Compared {
  const thisMonth = monthOf(today);
  const lastMonth = monthOf(plusDays(thisMonth, -1));
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
  return withBefore({ from: plusDays(today, period === 'last-90-days' ? -89 : -29), to: today });
}

export const isRange = ({ from, to }: Partial<Range>): boolean =>
  from !== undefined && to !== undefined && isDay(from) && isDay(to) && from <= to;

/** As many days from another beginning on, but none of the present period. */
function sameDays(from: string, today: string, begin: string): Range {
  const to = plusDays(from, daysBetween(begin, today));
  return { from, to: to < begin ? to : plusDays(begin, -1) };
}

/** With as many days right before. */
function withBefore({ from, to }: Partial<Range>): Compared {
  const before = { from: plusDays(from!, -daysBetween(from!, to!) - 1), to: plusDays(from!, -1) };
  return { from: from!, to: to!, before };
}

export type Per = 'day' | 'week' | 'month';
/** The most columns that a chart has, and rows that one answer has. */
const mostColumns = 200;
const lengths: Record<Per, number> = { day: 1, week: 7, month: 30 };

export const isReadable = (per: Per, { from, to }: Range): boolean =>
  daysBetween(from, to) / lengths[per] < mostColumns - 1;

/** What was chosen, or what suits the length of the range. */
export function perOf(chosen: string | null, range: Range): Per {
  const days = daysBetween(range.from, range.to);
  const suits = days <= 45 ? 'day' : days <= 200 ? 'week' : 'month';
  return (['day', 'week', 'month'] as const).find((per) => per === chosen && isReadable(per, range)) ?? suits;
}

const dayAndMonth = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const monthAndYear = new Intl.DateTimeFormat('en', { month: 'short', year: 'numeric', timeZone: 'UTC' });
const wholeDay = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });

/** "Nov 3, 2026" */
export const dayName = (day: string): string => wholeDay.format(Date.parse(day));
export const rangeName = ({ from, to }: Range): string =>
  from === to ? dayName(from) : `${dayName(from)} – ${dayName(to)}`;
/** What stands below a column. */
export const columnName = (per: Per, { from }: Range): string =>
  (per === 'month' ? monthAndYear : dayAndMonth).format(Date.parse(from));
