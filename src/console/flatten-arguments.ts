import type { JsonValue } from '../platform/json/strict-json.js';

/** One value of the arguments, with its path. The list of all values is complete. */
export interface ArgumentValue {
  /** For example "message.lines[2]"; '' if the arguments are an empty object. */
  path: string;
  kind: 'text' | 'number' | 'true or false' | 'null' | 'empty list' | 'empty object';
  text: string;
  isLong: boolean;
}

const maxInlineLength = 280;
const maxInlineLines = 8;

export function flattenArguments(value: JsonValue, path = ''): ArgumentValue[] {
  if (Array.isArray(value)) {
    if (!value.length) return [leaf(path, 'empty list', '[]')];
    return value.flatMap((item, index) => flattenArguments(item, `${path}[${index}]`));
  }
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value);
    if (!members.length) return [leaf(path, 'empty object', '{}')];
    return members.flatMap(([key, item]) => flattenArguments(item, appendPathKey(path, key)));
  }
  return [leaf(path, kindOf(value), String(value))];
}

/** Quotes keys that could be mistaken for a path. */
const appendPathKey = (path: string, key: string): string =>
  /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key) ? (path ? `${path}.${key}` : key) : `${path}[${JSON.stringify(key)}]`;

function kindOf(value: null | boolean | number | string): ArgumentValue['kind'] {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'true or false';
  return typeof value === 'number' ? 'number' : 'text';
}

function leaf(path: string, kind: ArgumentValue['kind'], text: string): ArgumentValue {
  const isLong = text.length > maxInlineLength || text.split('\n').length > maxInlineLines;
  return { path, kind, text, isLong };
}
