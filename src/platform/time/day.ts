/* The arithmetic of UTC days. */

/** A UTC day as text, "2026-07-01", which sorts chronologically. */
export type Day = string;

const dayMs = 86_400_000;

export const dayOf = (at: Date | number): Day => new Date(at).toISOString().slice(0, 10);
export const today = (): Day => dayOf(Date.now());
/** In milliseconds since 1970. */
export const startOfDay = (day: Day): number => Date.parse(`${day}T00:00:00Z`);
export const plusDays = (day: Day, days: number): Day => dayOf(startOfDay(day) + days * dayMs);
/** How many days `to` is after `from`. */
export const dayDifference = (from: Day, to: Day): number => Math.round((startOfDay(to) - startOfDay(from)) / dayMs);
/** Every day of the range, oldest first. Empty if `from` is after `to`. */
export const daysOf = ({ from, to }: DayRange): Day[] =>
  Array.from({ length: dayDifference(from, to) + 1 }, (_, index) => plusDays(from, index));

/** Limited to the years 2000 to 2199, which every database and vendor supports. */
export const isDay = (text: string): boolean => /^2[01]\d\d-\d\d-\d\d$/.test(text) && isCalendarDay(text);
export const isCalendarDay = (text: string): boolean => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const start = startOfDay(text);
  return !Number.isNaN(start) && dayOf(start) === text;
};

/** Both ends are inclusive. */
export interface DayRange {
  from: Day;
  to: Day;
}

/** The first day of the month. */
export const monthOf = (day: Day): Day => `${day.slice(0, 7)}-01`;
export const nextMonth = (day: Day): Day => monthOf(plusDays(monthOf(day), 31));
