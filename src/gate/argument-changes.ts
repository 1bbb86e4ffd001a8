import { truncate } from '../platform/text/truncate.js';
import { type JsonValue, pointerTo } from '../platform/json/strict-json.js';

/** A value that an edit added, changed or removed. */
export interface ArgumentChange {
  /** JSON pointer into the arguments. */
  pointer: string;
  /** As JSON; null: the edit added the value. */
  before: string | null;
  /** As JSON; null: the edit removed the value. */
  after: string | null;
}

/** The differences between two versions of the arguments, value by value, in the order of the old and then the new one. */
export function findArgumentChanges(before: JsonValue, after: JsonValue): ArgumentChange[] {
  const old = leavesOf(before);
  const current = leavesOf(after);
  return [...new Set([...old.keys(), ...current.keys()])]
    .map((pointer) => ({ pointer, before: old.get(pointer) ?? null, after: current.get(pointer) ?? null }))
    .filter((change) => change.before !== change.after);
}

/** An empty object or list counts as a value. */
function leavesOf(value: JsonValue, path: (string | number)[] = [], leaves = new Map<string, string>()) {
  const isBranch = value !== null && typeof value === 'object' && Object.keys(value).length > 0;
  if (!isBranch) return leaves.set(pointerTo(path), JSON.stringify(value));
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  for (const [key, inner] of entries) leavesOf(inner, [...path, key], leaves);
  return leaves;
}

const maxDescribedChanges = 20;
const maxDescribedLength = 200;

/** One line for the caller, which reads it with the outcome. */
export function describeArgumentChanges(changes: readonly ArgumentChange[]): string {
  const described = changes.slice(0, maxDescribedChanges).map(({ pointer, before, after }) => {
    const name = pointer || 'the arguments';
    if (before === null) return `${name} set to ${shorten(after!)}`;
    return after === null ? `${name} removed` : `${name} changed from ${shorten(before)} to ${shorten(after)}`;
  });
  const more = changes.length - described.length;
  return [...described, ...(more ? [`and ${more} more`] : [])].join('; ');
}

const shorten = (json: string): string =>
  json.length > maxDescribedLength ? `${truncate(json, maxDescribedLength)}…` : json;
