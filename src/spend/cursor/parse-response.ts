import type { CursorEndpoint } from './endpoints.js';

export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

type SourceReviver = (key: string, value: unknown, context: { source: string }) => unknown;
const parseWithSource = JSON.parse as (text: string, reviver: SourceReviver) => unknown;

/** With `isExact`, decimal numbers stay text as written. Returns undefined if the text is not JSON. */
export function parseResponse(text: string, { isExact }: Pick<CursorEndpoint, 'isExact'>): unknown {
  try {
    return isExact ? parseWithSource(text, preserveDecimals) : JSON.parse(text);
  } catch {
    return undefined;
  }
}

const preserveDecimals: SourceReviver = (_, value, { source }) =>
  typeof value === 'number' && !Number.isSafeInteger(value) ? source : value;
