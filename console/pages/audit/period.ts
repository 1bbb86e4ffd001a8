/* The time filter. The address stores it as a name or as two days. */

export const periods = [
  { value: 'hour', label: 'Last hour', ms: 3_600_000 },
  { value: 'day', label: 'Last 24 hours', ms: 86_400_000 },
  { value: 'week', label: 'Last 7 days', ms: 7 * 86_400_000 },
  { value: 'month', label: 'Last 30 days', ms: 30 * 86_400_000 },
] as const;

export interface TimeRange {
  /** RFC 3339; null: no lower limit. */
  from: string | null;
  /** RFC 3339, exclusive; null: until now. */
  to: string | null;
}

interface PeriodParams {
  period: string | null;
  /** The first and the last day in the person's time zone: "2026-11-22". */
  from: string | null;
  to: string | null;
}

export function timeRangeOf({ period, from, to }: PeriodParams, now: number): TimeRange {
  if (period === 'days') return { from: startOf(from, 0), to: startOf(to, 1) };
  const known = periods.find(({ value }) => value === period);
  return { from: known ? new Date(now - known.ms).toISOString() : null, to: null };
}

/** The start of a day in the person's time zone, shifted by `daysOn`. */
function startOf(day: string | null, daysOn: number): string | null {
  const [, year, month, date] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(day ?? '') ?? [];
  if (!year) return null;
  return new Date(Number(year), Number(month) - 1, Number(date) + daysOn).toISOString();
}
