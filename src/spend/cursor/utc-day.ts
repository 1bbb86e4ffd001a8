import type { Day } from '../usage-row.js';

export const dayMs = 24 * 60 * 60 * 1000;

export const dayAt = (time: number): Day => new Date(time).toISOString().slice(0, 10);

export const startOf = (day: Day): number => Date.parse(`${day}T00:00:00.000Z`);

/** The vendor's bounds are both included, so that a day ends a millisecond before the next. */
export const endOf = (day: Day): number => startOf(day) + dayMs - 1;

/** Both included. */
export const daysBetween = (from: Day, to: Day): Day[] =>
  Array.from({ length: (startOf(to) - startOf(from)) / dayMs + 1 }, (_, place) => dayAt(startOf(from) + place * dayMs));

export const isDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(startOf(text)) && dayAt(startOf(text)) === text;
