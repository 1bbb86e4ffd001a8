import type { Day } from '../usage-row.js';

export const dayMs = 24 * 60 * 60 * 1000;

export const utcDayAt = (time: number): Day => new Date(time).toISOString().slice(0, 10);

export const utcDayStartMs = (day: Day): number => Date.parse(`${day}T00:00:00.000Z`);

/** The vendor includes both bounds, so a day ends a millisecond before the next. */
export const utcDayEndMs = (day: Day): number => utcDayStartMs(day) + dayMs - 1;

/** Both ends included. */
export const daysBetween = (from: Day, to: Day): Day[] =>
  Array.from({ length: (utcDayStartMs(to) - utcDayStartMs(from)) / dayMs + 1 }, (_, place) =>
    utcDayAt(utcDayStartMs(from) + place * dayMs),
  );

export const isUtcDay = (text: string): boolean =>
  /^\d{4}-\d{2}-\d{2}$/.test(text) && !Number.isNaN(utcDayStartMs(text)) && utcDayAt(utcDayStartMs(text)) === text;
