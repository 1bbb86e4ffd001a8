import type { JsonValue } from '../platform/json/strict-json.js';

/** One value of the arguments, with the way to it. Together they are the whole value: nothing is left out. */
export interface ShownValue {
  /** "message.lines[2]"; '' where the arguments are one empty object */
  path: string;
  kind: 'text' | 'number' | 'true or false' | 'null' | 'empty list' | 'empty object';
  text: string;
  isLong: boolean;
}

const longest = 280;
const mostLines = 8;

export function shownValues(value: JsonValue, path = ''): ShownValue[] {
  if (Array.isArray(value)) {
    if (!value.length) return [leaf(path, 'empty list', '[]')];
    return value.flatMap((item, index) => shownValues(item, `${path}[${index}]`));
  }
  if (value !== null && typeof value === 'object') {
    const members = Object.entries(value);
    if (!members.length) return [leaf(path, 'empty object', '{}')];
    return members.flatMap(([key, item]) => shownValues(item, step(path, key)));
  }
  return [leaf(path, kindOf(value), String(value))];
}

/** A key that could be read as a way of its own is quoted. */
const step = (path: string, key: string): string =>
  /^[\p{L}_$][\p{L}\p{N}_$-]*$/u.test(key) ? (path ? `${path}.${key}` : key) : `${path}[${JSON.stringify(key)}]`;

function kindOf(value: null | boolean | number | string): ShownValue['kind'] {
  if (value === null) return 'null';
  if (typeof value === 'boolean') return 'true or false';
  return typeof value === 'number' ? 'number' : 'text';
}

function leaf(path: string, kind: ShownValue['kind'], text: string): ShownValue {
  const isLong = text.length > longest || text.split('\n').length > mostLines;
  return { path, kind, text, isLong };
}
