import type { JsonValue } from '../platform/json/strict-json.js';

/** One field of an object that differs. Absent: not set. */
export interface DocumentFieldChange {
  /** "settings.url" */
  path: string;
  before?: JsonValue;
  after?: JsonValue;
}

/** The fields that differ, in the order of the wanted document. Lists are compared as a whole. */
export function documentDifferences(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): DocumentFieldChange[] {
  const [from, to] = [leavesOf(before), leavesOf(after)];
  return [...new Set([...to.keys(), ...from.keys()])]
    .filter((path) => JSON.stringify(from.get(path)) !== JSON.stringify(to.get(path)))
    .map((path) => ({
      path,
      ...(from.has(path) && { before: from.get(path) }),
      ...(to.has(path) && { after: to.get(path) }),
    }));
}

function leavesOf(value: Record<string, unknown>, path = '', leaves = new Map<string, JsonValue>()) {
  for (const [name, field] of Object.entries(value)) {
    if (field === undefined) continue;
    const at = path ? `${path}.${name}` : name;
    if (typeof field === 'object' && field !== null && !Array.isArray(field))
      leavesOf(field as Record<string, unknown>, at, leaves);
    else leaves.set(at, sortedKeys(field as JsonValue));
  }
  return leaves;
}

/** So that the order of keys inside lists makes no difference. */
function sortedKeys(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sortedKeys);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortedKeys(value[key])]),
  );
}
