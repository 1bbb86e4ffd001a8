import { isUtf8 } from 'node:buffer';
import type { Request } from 'express';
import type { z } from 'zod';
import { invalidRequest, unsupportedMediaType } from '../errors/general.error.js';
import type { Fault } from '../errors/problem.js';

const jsonType = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;
const deepest = 32;

/** The body's source text: UTF-8 and of a JSON type, not yet parsed. */
export function rawJson(request: Request): string {
  if (!jsonType.test(request.headers['content-type'] ?? ''))
    throw unsupportedMediaType('The body has to be application/json.');
  const body: unknown = request.body;
  if (!Buffer.isBuffer(body) || !body.length) throw invalidRequest('The body is empty.');
  if (!isUtf8(body)) throw invalidRequest('The body is not UTF-8.');
  return body.toString();
}

export function readJson<T extends z.ZodType>(request: Request, schema: T, depth = deepest): z.output<T> {
  return parseBody(schema, parseJson(rawJson(request), depth));
}

export function parseJson(text: string, depth = deepest): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw invalidRequest(`The body is not JSON: ${(error as Error).message}`, {
      errors: [{ pointer: '', detail: 'not JSON' }],
    });
  }
  const fault = unfit(value, '', depth);
  if (fault) throw invalidRequest('The body holds something that is not accepted.', { errors: [fault] });
  return value;
}

/** Checks a parsed value against a schema; each fault with its JSON pointer. */
export function parseBody<T extends z.ZodType>(schema: T, value: unknown): z.output<T> {
  const read = schema.safeParse(value);
  if (read.success) return read.data;
  const errors = read.error.issues.flatMap(faultsOf);
  throw invalidRequest(
    `${errors.length === 1 ? 'One value is' : `${errors.length} values are`} missing or not of the documented form.`,
    { errors },
  );
}

/** Members that nobody knows are named one by one, each at its own place. */
const faultsOf = (issue: z.core.$ZodIssue): Fault[] =>
  issue.code === 'unrecognized_keys'
    ? issue.keys.map((key) => ({ pointer: pointer([...issue.path, key]), detail: 'is not known here' }))
    : [{ pointer: pointer(issue.path), detail: issue.message }];

/** The first place that is too deep, or whose text PostgreSQL and people cannot take: lone surrogates, NUL. */
function unfit(value: unknown, at: string, depth: number): Fault | null {
  if (typeof value === 'string') return unfitText(value, at);
  if (typeof value !== 'object' || value === null) return null;
  if (depth === 0) return { pointer: at, detail: 'nested too deeply' };
  for (const [key, entry] of Object.entries(value)) {
    const here = `${at}/${escape(key)}`;
    const fault = unfitText(key, here) ?? unfit(entry, here, depth - 1);
    if (fault) return fault;
  }
  return null;
}

function unfitText(text: string, at: string): Fault | null {
  if (!text.isWellFormed()) return { pointer: at, detail: 'has a lone surrogate' };
  if (text.includes('\0')) return { pointer: at, detail: 'has a NUL character' };
  return null;
}

const pointer = (path: readonly PropertyKey[]) => path.map((part) => `/${escape(String(part))}`).join('');
const escape = (part: string) => part.replace(/~/g, '~0').replace(/\//g, '~1');
