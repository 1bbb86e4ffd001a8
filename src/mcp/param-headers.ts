import type { JsonObject, JsonValue } from '../platform/json/strict-json.js';

/* Arguments that a client repeats in headers for proxies (MCP 2026-07-28, transports, "Custom Headers"). */

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

/** Reads `x-mcp-header` from every property of a tool's schema that is reachable through `properties` alone. */
export function paramHeaders(schema: JsonObject, path: readonly string[] = []): ParamHeader[] {
  const { 'x-mcp-header': name, type = null, properties } = schema;
  const own =
    path.length && typeof name === 'string' && name && primitives.includes(type)
      ? [{ header: `mcp-param-${name.toLowerCase()}`, path }]
      : [];
  const inner = Object.entries(isObject(properties) ? properties : {});
  return [...own, ...inner.flatMap(([key, one]) => (isObject(one) ? paramHeaders(one, [...path, key]) : []))];
}

/** Describes the first header that is missing or does not match its argument. */
export function headerFault(declared: readonly ParamHeader[], args: JsonValue, headers: Headers): string | null {
  for (const { header, path } of declared) {
    const value = path.reduce<JsonValue | undefined>((at, key) => (isObject(at) ? at[key] : undefined), args);
    if (value === undefined || value === null || typeof value === 'object') continue;
    const headerValue = headers[header];
    const place = `arguments.${path.join('.')}`;
    if (headerValue === undefined) return `${place} is not repeated in the header ${header}`;
    if (!isSame(decoded(String(headerValue).trim()), value)) return `the header ${header} does not match ${place}`;
  }
  return null;
}

/** Null: the value is marked as encoded, but the encoding is invalid. */
function decoded(headerValue: string): string | null {
  if (!encodedMarker.test(headerValue)) return headerValue;
  const code = encodedPattern.exec(headerValue)?.[1];
  if (code === undefined) return null;
  const text = Buffer.from(code, 'base64').toString();
  return Buffer.from(text).toString('base64') === code ? text : null;
}

const isSame = (text: string | null, value: string | number | boolean): boolean =>
  text !== null && (typeof value === 'number' && decimal.test(text) ? Number(text) === value : text === String(value));

const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
