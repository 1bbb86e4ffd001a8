import type { JsonValue } from '../../platform/json/strict-json.js';

/** As PostgreSQL and strict readers take it: whole characters, no NUL. */
export const cleanText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

/** Deeper than anybody means it, and than readers that descend by calling themselves can follow. */
const maxJsonNesting = 64;

/** The same for every text in a value, keys included; what is nested too deeply is left out. */
export function cleanJson(value: unknown, depth = 0): JsonValue {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return value as JsonValue;
  if (depth === maxJsonNesting) return '[…]';
  if (Array.isArray(value)) return value.map((each) => cleanJson(each, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [cleanText(key), cleanJson(each, depth + 1)]));
}

/** Too deep, or of more values than text of `mostText` characters can have: seen before anything is made of it. */
export function isTooLarge(value: unknown, mostText: number): boolean {
  let level: unknown[] = [value];
  let values = 0;
  for (let depth = 0; level.length; depth++) {
    values += level.length;
    if (depth > maxJsonNesting || values > mostText) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}
