import { ProtocolErrorCode } from '@modelcontextprotocol/server';
import { isUtf8 } from 'node:buffer';
import type { Request } from 'express';
import { unsupportedMediaType } from '../platform/errors/general.error.js';
import { type JsonObject, type JsonValue, parseStrict, StrictJsonError } from '../platform/json/strict-json.js';
import { memberText } from '../platform/json/source-text.js';
import { type RequestId, RpcRefusal } from './rpc-refusal.js';

/** One JSON-RPC message, with the text it was written in. */
export interface Received {
  source: string;
  message: JsonObject;
}

const jsonType = /^application\/json\s*(?:;|$)/i;
/** Arguments stand in `params`, and that in the message; they alone may be as deep as those of any other surface. */
const levelsAround = 2;

/** Reads a body that has one meaning only. What two readers could take differently is refused, and never repaired. */
export function readMessage(request: Request, depth: number): Received {
  if (!jsonType.test(request.headers['content-type'] ?? ''))
    throw unsupportedMediaType('The body has to be application/json.');
  const source = textOf(request.body);
  const message = parse(source, depth + levelsAround);
  if (Array.isArray(message)) throw refusal('invalid', 'Batches are not taken: send each message by itself.');
  if (message === null || typeof message !== 'object') throw refusal('invalid', 'A message is a JSON object.');
  return { source, message };
}

/** The member of `params` as it was written, byte for byte. */
export const paramText = (source: string, name: string): string | undefined =>
  memberText(memberText(source, 'params') ?? '{}', name);

function textOf(body: unknown): string {
  if (!Buffer.isBuffer(body) || !body.length) throw refusal('unreadable', 'The body is empty.');
  if (!isUtf8(body)) throw refusal('unreadable', 'The body is not UTF-8.');
  return body.toString();
}

function parse(source: string, maxDepth: number): JsonValue {
  try {
    return parseStrict(source, { maxDepth });
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error;
    const read = loosely(source);
    if (!read) throw refusal('unreadable', `The body is not JSON: ${error.message}.`);
    throw refusal('invalid', `The message cannot be taken: ${error.message}.`, idOf(read.value));
  }
}

function loosely(source: string): { value: unknown } | null {
  try {
    return { value: JSON.parse(source) };
  } catch {
    return null;
  }
}

/** The id of a request, so that its sender finds the refusal. */
export function idOf(message: unknown): RequestId {
  const { id = null, method } = (message ?? {}) as { id?: unknown; method?: unknown };
  return typeof method === 'string' && (typeof id === 'string' || typeof id === 'number') ? id : null;
}

const refusal = (what: 'unreadable' | 'invalid', reason: string, id?: RequestId): RpcRefusal =>
  new RpcRefusal(
    400,
    what === 'unreadable' ? ProtocolErrorCode.ParseError : ProtocolErrorCode.InvalidRequest,
    reason,
    id,
  );
