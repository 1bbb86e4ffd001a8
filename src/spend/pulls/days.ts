import type { Day } from '../usage-row.js';

const dayMs = 24 * 60 * 60 * 1000;
/** Vendors add up by the hour: what is asked for sooner after midnight may lack the last of it. */
export const settledAfterMs = 2 * 60 * 60 * 1000;

export const dayOf = (at: Date): Day => at.toISOString().slice(0, 10);
export const startOf = (day: Day): Date => new Date(`${day}T00:00:00.000Z`);
export const daysAfter = (day: Day, count: number): Day => dayOf(new Date(startOf(day).getTime() + count * dayMs));
/** What was asked for then is the whole day. */
export const wholeFrom = (day: Day): Date => new Date(startOf(day).getTime() + dayMs + settledAfterMs);

/** Both included, newest first. */
export function daysBetween(from: Day, to: Day): Day[] {
  const days: Day[] = [];
  for (let day = to; day >= from; day = daysAfter(day, -1)) days.push(day);
  return days;
}
