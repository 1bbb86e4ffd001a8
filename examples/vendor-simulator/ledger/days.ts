/** A UTC day: `2026-11-20`. */
export type Day = string;

export const dayLength = 86_400_000;

const numbers = new Map<Day, number>();

/** Days since 1970. */
export function dayNumber(day: Day): number {
  const known = numbers.get(day);
  if (known !== undefined) return known;
  const number = Date.parse(`${day}T00:00:00.000Z`) / dayLength;
  numbers.set(day, number);
  return number;
}

export const startOf = (day: Day): number => dayNumber(day) * dayLength;
export const isWeekend = (day: Day): boolean => [2, 3].includes(dayNumber(day) % 7);
export const dayOf = (at: number): Day => new Date(at).toISOString().slice(0, 10);
export const daysAfter = (day: Day, count: number): Day => dayOf(startOf(day) + count * dayLength);

export function daysBetween(from: Day, to: Day): Day[] {
  const count = Math.round((startOf(to) - startOf(from)) / dayLength) + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => daysAfter(from, index));
}
