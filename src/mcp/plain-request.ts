import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type InboundModernRoute,
  PROTOCOL_VERSION_META_KEY,
  type RequestId,
} from '@modelcontextprotocol/server';
import type { IncomingHttpHeaders } from 'node:http';

/** A request that needs only its response: no notifications meanwhile, and no state from an earlier request. */
export type PlainRequest = { id: RequestId } & (
  { method: 'tools/list' } | { method: 'tools/call'; params: { name: string; arguments?: object } }
);

const revision = '2026-07-28';
const envelopeKeys = new Set([PROTOCOL_VERSION_META_KEY, CLIENT_INFO_META_KEY, CLIENT_CAPABILITIES_META_KEY]);
const messageKeys = new Set(['jsonrpc', 'id', 'method', 'params']);
const callParamKeys = new Set(['name', 'arguments', '_meta']);
const listParamKeys = new Set(['_meta']);
/** Names that a header carries without encoding (2026-07-28, streamable HTTP). */
const plainNamePattern = /^[\w.-]+$/;

/**
 * Null: the SDK answers or refuses every request with more features or with any irregularity. It has already checked the
 * envelope of `route`.
 */
export function parsePlainRequest(
  { message, messageKind }: InboundModernRoute,
  headers: IncomingHttpHeaders,
): PlainRequest | null {
  if (messageKind !== 'request' || !('id' in message)) return null;
  const { id, method } = message;
  const params = { ...message.params };
  const hasOnlyKnown =
    hasOnly(message, messageKeys) &&
    isObject(params._meta) &&
    hasOnly(params._meta, envelopeKeys) &&
    hasMatchingHeaders(headers, method);
  if (!hasOnlyKnown || params._meta?.[PROTOCOL_VERSION_META_KEY] !== revision) return null;
  if (method === 'tools/list') return hasOnly(params, listParamKeys) ? { id, method } : null;
  if (method !== 'tools/call' || !hasOnly(params, callParamKeys)) return null;
  const { name, arguments: args } = params;
  if (typeof name !== 'string' || !plainNamePattern.test(name) || headers['mcp-name'] !== name) return null;
  return args === undefined || isObject(args) ? { id, method, params: { name, arguments: args } } : null;
}

const hasMatchingHeaders = (headers: IncomingHttpHeaders, method: string): boolean =>
  headers['mcp-protocol-version'] === revision && headers['mcp-method'] === method;

const hasOnly = (value: object, known: ReadonlySet<string>): boolean =>
  Object.keys(value).every((key) => known.has(key));

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
