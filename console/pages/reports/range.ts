import { dayDifference, type DayRange, isDay, plusDays, today } from '../../../src/platform/time/day.ts';

/* The range of a report, in UTC days. The address stores it as a name or as two days. */

export const periods = [
  { value: '30-days', label: 'Last 30 days', days: 30 },
  { value: '7-days', label: 'Last 7 days', days: 7 },
  { value: '90-days', label: 'Last 90 days', days: 90 },
  { value: 'year', label: 'Last 365 days', days: 365 },
] as const;
const maxDays = 366;

export interface ChosenRange extends DayRange {
  /** `own`: a custom range. */
  period: (typeof periods)[number]['value'] | 'own';
  /** Why the custom range is not applied. */
  fault: string | null;
}

export function rangeOf(params: URLSearchParams): ChosenRange {
  const last = today();
  const [from, to] = [params.get('from') ?? '', params.get('to') ?? ''];
  const isOwn = params.get('period') === 'own';
  const fault = isOwn ? faultOf(from, to) : null;
  if (isOwn && !fault) return { period: 'own', from, to, fault: null };
  const { value, days } = periods.find(({ value }) => value === params.get('period')) ?? periods[0];
  return { period: isOwn ? 'own' : value, from: plusDays(last, 1 - days), to: last, fault };
}

function faultOf(from: string, to: string): string | null {
  if (!isDay(from) || !isDay(to)) return 'Enter two dates between 2000 and 2199.';
  if (from > to) return 'The last day must not be before the first day.';
  return dayDifference(from, to) < maxDays ? null : `A report has at most ${maxDays} days.`;
}

const wholeDay = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' });
const dayAndMonth = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
/** "Nov 3, 2026 – Nov 9, 2026" */
export const rangeName = ({ from, to }: DayRange): string =>
  from === to ? dayName(from) : `${dayName(from)} – ${dayName(to)}`;
export const dayName = (day: string): string => wholeDay.format(Date.parse(day));
/** "Nov 3" */
export const shortDayName = (day: string): string => dayAndMonth.format(Date.parse(day));

/** Every period of the range, oldest first. Weeks begin on Monday, so that the first one may begin before the range. */
export function periodStartsOf({ from, to }: DayRange, interval: 'day' | 'week'): string[] {
  const step = interval === 'day' ? 1 : 7;
  const starts: string[] = [];
  const first = interval === 'day' ? from : plusDays(from, -((new Date(Date.parse(from)).getUTCDay() + 6) % 7));
  for (let day = first; day <= to; day = plusDays(day, step)) starts.push(day);
  return starts;
}
