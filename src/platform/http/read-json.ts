import { isUtf8 } from 'node:buffer';
import type { Request } from 'express';
import { z } from 'zod';
import { invalidRequest, tooLarge, unsupportedMediaType } from '../errors/general.error.js';
import type { InvalidField } from '../errors/problem.js';

const jsonType = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
const maxJsonDepth = 32;
/** Errors that a response lists. */
const mostFaults = 100;
const mostEntries = 10_000;
/** Keys and values in a body. A megabyte of tiny values would block the event loop for too long. */
const mostValues = 50_000;

/** The source text of the body. Requires UTF-8 and a JSON content type, and does not parse it. */
export function rawJson(request: Request): string {
  if (!jsonType.test(request.headers['content-type'] ?? ''))
    throw unsupportedMediaType('The body must be application/json.');
  const body: unknown = request.body;
  if (!Buffer.isBuffer(body) || !body.length) throw invalidRequest('The body is empty.');
  if (!isUtf8(body)) throw invalidRequest('The body is not UTF-8.');
  return body.toString();
}

export function readJson<T extends z.ZodType>(request: Request, schema: T, depth = maxJsonDepth): z.output<T> {
  return parseBody(schema, parseJson(rawJson(request), depth));
}

export function parseJson(text: string, depth = maxJsonDepth): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalidRequest(`The body is not JSON: ${(error as Error).message}`, {
      errors: [{ pointer: '', detail: 'not JSON' }],
    });
  }
  const fault = findUnacceptable(value, depth, { values: 0 });
  if (fault) throw invalidRequest('The body contains a value that is not accepted.', { errors: [fault] });
  return value;
}

/** Validates a parsed value against a schema. Each error has a JSON pointer. */
export function parseBody<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const errors = read.error.issues.flatMap(invalidFieldsOf);
  throw invalidRequest(`${errors.length === 1 ? 'One value is' : `${errors.length} values are`} missing or invalid.`, {
    errors: errors.slice(0, mostFaults),
  });
}

/**
 * A list with a length limit. The entries of a longer list are not validated, because their errors would take memory.
 */
export const boundedList = <T extends z.ZodType>(list: T, most = mostEntries) =>
  z.preprocess((value, context) => {
    if (!Array.isArray(value) || value.length <= most) return value;
    context.addIssue({ code: 'custom', message: `has more than ${most} entries` });
    return z.NEVER;
  }, list);

/** Each unknown member is a separate error with its own pointer. */
const invalidFieldsOf = (issue: z.core.$ZodIssue): InvalidField[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({ pointer: jsonPointer([...issue.path, key]), detail: 'is not a known field' }))
    : [{ pointer: jsonPointer(issue.path), detail: issue.message }];

/** The first value that is nested too deeply, or whose text PostgreSQL cannot store: lone surrogates, NUL. */
function findUnacceptable(value: unknown, depth: number, count: { values: number }): InvalidField | null {
  if (++count.values > mostValues) throw tooLarge(`The body has more than ${mostValues} keys and values.`);
  if (typeof value === 'string') return findUnacceptableText(value);
  if (typeof value !== 'object' || value === null) return null;
  if (depth === 0) return { pointer: '', detail: 'is nested too deeply' };
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const fault = findUnacceptable(value[index], depth - 1, count);
      if (fault) return below(String(index), fault);
    }
    return null;
  }
  for (const key of Object.keys(value)) {
    count.values++;
    const fault =
      findUnacceptableText(key) ?? findUnacceptable((value as Record<string, unknown>)[key], depth - 1, count);
    if (fault) return below(key, fault);
  }
  return null;
}

const below = (key: string, { pointer, detail }: InvalidField): InvalidField => ({
  pointer: `/${escapePointerPart(key)}${pointer}`,
  detail,
});

function findUnacceptableText(text: string): InvalidField | null {
  if (!text.isWellFormed()) return { pointer: '', detail: 'contains a lone surrogate' };
  if (text.includes('\0')) return { pointer: '', detail: 'contains a NUL character' };
  return null;
}

const jsonPointer = (path: readonly PropertyKey[]) =>
  path.map((part) => `/${escapePointerPart(String(part))}`).join('');
const escapePointerPart = (part: string) => part.replace(/~/g, '~0').replace(/\//g, '~1');
