import type { Endpoint } from './endpoints.js';

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type Reviver = (key: string, value: unknown, context: { source: string }) => unknown;
const parseWithSource = JSON.parse as (text: string, reviver: Reviver) => unknown;

/** Numbers that are not whole stay as they are written where the endpoint gives amounts. Undefined where it is no JSON. */
export function parseAnswer(text: string, { isExact }: Pick<Endpoint, 'isExact'>): unknown {
  try {
    return isExact ? parseWithSource(text, asWritten) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const asWritten: Reviver = (_, value, { source }) =>
  typeof value === 'number' && !Number.isSafeInteger(value) ? source : value;
