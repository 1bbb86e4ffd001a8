import type { JsonObject, JsonValue } from '../platform/json/strict-json.js';

/* Arguments that a client repeats in headers, for proxies on the way (MCP 2026-07-28, transports, "Custom Headers"). */

export interface ParamHeader {
  /** In lower case: `mcp-param-region`. */
  header: string;
  path: readonly string[];
}
type Headers = Readonly<Record<string, string | string[] | undefined>>;

const primitives: readonly JsonValue[] = ['string', 'integer', 'number', 'boolean'];
const encodedPattern = /^=\?base64\?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)\?=$/;
const encodedMarker = /^=\?base64\?.*\?=$/;
const decimal = /^-?\d+(\.\d+)?$/;

/** What a tool's schema declares by `x-mcp-header`, on properties that a chain of `properties` leads to. */
export function paramHeaders(schema: JsonObject, path: readonly string[] = []): ParamHeader[] {
  const { 'x-mcp-header': name, type = null, properties } = schema;
  const own =
    path.length && typeof name === 'string' && name && primitives.includes(type)
      ? [{ header: `mcp-param-${name.toLowerCase()}`, path }]
      : [];
  const inner = Object.entries(isObject(properties) ? properties : {});
  return [...own, ...inner.flatMap(([key, one]) => (isObject(one) ? paramHeaders(one, [...path, key]) : []))];
}

/** In words, the first header that does not say what the arguments say. */
export function headerFault(declared: readonly ParamHeader[], args: JsonValue, headers: Headers): string | null {
  for (const { header, path } of declared) {
    const value = path.reduce<JsonValue | undefined>((at, key) => (isObject(at) ? at[key] : undefined), args);
    if (value === undefined || value === null || typeof value === 'object') continue;
    const headerValue = headers[header];
    const place = `arguments.${path.join('.')}`;
    if (headerValue === undefined) return `${place} is not repeated in the header ${header}`;
    if (!isSame(decoded(String(headerValue).trim()), value))
      return `the header ${header} does not say what ${place} says`;
  }
  return null;
}

/** Null where it is coded, and wrongly. */
function decoded(said: string): string | null {
  if (!encodedMarker.test(said)) return said;
  const code = encodedPattern.exec(said)?.[1];
  if (code === undefined) return null;
  const text = Buffer.from(code, 'base64').toString();
  return Buffer.from(text).toString('base64') === code ? text : null;
}

const isSame = (said: string | null, value: string | number | boolean): boolean =>
  said !== null && (typeof value === 'number' && decimal.test(said) ? Number(said) === value : said === String(value));

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
