import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import { isUtf8 } from 'node:buffer';
import type { Request } from 'express';
import { unsupportedMediaType } from '../platform/errors/general.error.js';
import { type JsonObject, type JsonValue, parseStrict, StrictJsonError } from '../platform/json/strict-json.js';
import { memberText } from '../platform/json/source-text.js';
import { type RpcRequestId, RpcRefusal } from './rpc-refusal.js';

/** One JSON-RPC message with its source text. */
export interface ReceivedRpcMessage {
  source: string;
  message: JsonObject;
}

const jsonType = /^application\/json\s*(?:;|$)/i;
/** Arguments are nested in `params` of the message. The depth limit applies to the arguments, as in every other API. */
const envelopeDepth = 2;

/** Rejects a body that two parsers could read differently. It never repairs one. */
export function readRpcMessage(request: Request, depth: number): ReceivedRpcMessage {
  if (!jsonType.test(request.headers['content-type'] ?? ''))
    throw unsupportedMediaType('The body must be application/json.');
  const source = textOf(request.body);
  const message = parse(source, depth + envelopeDepth);
  if (Array.isArray(message))
    throw rpcBodyRefusal('invalid', 'Batches are not supported. Send each message in its own request.');
  if (message === null || typeof message !== 'object')
    throw rpcBodyRefusal('invalid', 'A message must be a JSON object.');
  return { source, message };
}

/** The source text of a member of `params`, byte for byte. */
export const paramText = (source: string, name: string): string | undefined =>
  memberText(memberText(source, 'params') ?? '{}', name);

function textOf(body: unknown): string {
  if (!Buffer.isBuffer(body) || !body.length) throw rpcBodyRefusal('unreadable', 'The body is empty.');
  if (!isUtf8(body)) throw rpcBodyRefusal('unreadable', 'The body is not UTF-8.');
  return body.toString();
}

function parse(source: string, maxDepth: number): JsonValue {
  try {
    return parseStrict(source, { maxDepth });
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    const read = parseLoosely(source);
    if (!read) throw rpcBodyRefusal('unreadable', `The body is not JSON: ${error.message}.`);
    throw rpcBodyRefusal('invalid', `The message is not valid: ${error.message}.`, rpcIdOf(read.value));
  }
}

function parseLoosely(source: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(source) };
  } catch {
    return null;
  }
}

/** Lets the sender match the refusal to its request. */
export function rpcIdOf(message: unknown): RpcRequestId {
  const { id = null, method } = (message ?? {}) as { id?: unknown; method?: unknown };
  return typeof method === 'string' && (typeof id === 'string' || typeof id === 'number') ? id : null;
}

const rpcBodyRefusal = (what: 'unreadable' | 'invalid', reason: string, id?: RpcRequestId): RpcRefusal =>
  new RpcRefusal(
    400,
    what === 'unreadable' ? ProtocolErrorCode.ParseError : ProtocolErrorCode.InvalidRequest,
    reason,
    id,
  );
