import type { JsonValue } from '../platform/json/strict-json.js';

/** Text that PostgreSQL and strict parsers accept: well-formed, without NUL. */
export const cleanText = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

/** Deeper than any realistic value, and shallow enough for recursive readers. */
const maxJsonNesting = 64;

/** Cleans every string in a value, including keys; omits values that are nested too deeply. */
export function cleanJson(value: unknown, depth = 0): JsonValue {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value !== 'object' || value === null) return value as JsonValue;
  if (depth === maxJsonNesting) return '[…]';
  if (Array.isArray(value)) return value.map((each) => cleanJson(each, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [cleanText(key), cleanJson(each, depth + 1)]));
}

/**
 * Whether it is too deep, or has more values than `maxTextLength` characters of JSON can hold. Checked before it is
 * processed.
 */
export function isTooLarge(value: unknown, maxTextLength: number): boolean {
  let level: unknown[] = [value];
  let values = 0;
  for (let depth = 0; level.length; depth++) {
    values += level.length;
    if (depth > maxJsonNesting || values > maxTextLength) return true;
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
  }
  return false;
}
