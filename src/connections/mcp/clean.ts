import type { JsonValue } from '../../platform/json/strict-json.js';

/** As PostgreSQL and strict readers take it: whole characters, no NUL. */
export const clean = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd');

/** The same for every text in a value, keys included. */
export function cleanJson(value: unknown): JsonValue {
  if (typeof value === 'string') return clean(value);
  if (Array.isArray(value)) return value.map(cleanJson);
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [clean(key), cleanJson(each)]));
  return value as JsonValue;
}
