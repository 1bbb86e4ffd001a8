import type { Day } from '../usage-row.js';

const dayMs = 24 * 60 * 60 * 1000;
/** Vendors aggregate hourly: a request sooner after midnight may miss the end of the day. */
export const dayCompleteAfterMs = 2 * 60 * 60 * 1000;

export const utcDayOf = (at: Date): Day => at.toISOString().slice(0, 10);
export const startOfUtcDay = (day: Day): Date => new Date(`${day}T00:00:00.000Z`);
export const addDays = (day: Day, count: number): Day =>
  utcDayOf(new Date(startOfUtcDay(day).getTime() + count * dayMs));
/** A request from this time on returns the complete day. */
export const completeFrom = (day: Day): Date => new Date(startOfUtcDay(day).getTime() + dayMs + dayCompleteAfterMs);

/** Both included, newest first. */
export function daysDescending(from: Day, to: Day): Day[] {
  const days: Day[] = [];
  for (let day = to; day >= from; day = addDays(day, -1)) days.push(day);
  return days;
}
