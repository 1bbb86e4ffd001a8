import type { JsonValue } from '../../platform/json/strict-json.js';

/** As PostgreSQL and strict readers take it: whole characters, no NUL. */
export const clean = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

/** Deeper than anybody means it, and than readers that descend by calling themselves can follow. */
const deepest = 64;

/** The same for every text in a value, keys included; what is nested too deeply is left out. */
export function cleanJson(value: unknown, depth = 0): JsonValue {
  if (typeof value === 'string') return clean(value);
  if (typeof value !== 'object' || value === null) return value as JsonValue;
  if (depth === deepest) return '[…]';
  if (Array.isArray(value)) return value.map((each) => cleanJson(each, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [clean(key), cleanJson(each, depth + 1)]));
}

export function isTooDeep(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; level.length; depth++) {
    if (depth > deepest) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}
