import type { JsonObject, JsonValue } from '../../../platform/json/strict-json.js';
import { pointerTo } from '../../../platform/json/strict-json.js';
import type { Found, Rule } from '../found.js';
import { clipped, shown } from '../shown.js';

export const definitionChanged: Rule = {
  id: 'definition_changed',
  title: 'Changed since it was approved',
  why: 'What was looked at and approved is not what runs. Clients ask once whether a server may be started, and some never again (CVE-2025-54136).',
};

/** An entry that once was approved, as it was then and as it is now. */
export interface Changed {
  name: string;
  approvedHash: string;
  approvedAt: Date;
  approved: JsonObject;
  hash: string;
  definition: JsonObject;
}

const mostPlaces = 20;
/** What says which program runs, or which address is reached. */
const running = ['command', 'args', 'url', 'serverUrl', 'httpUrl'];

export function changed({ name, approvedHash, approvedAt, approved, hash, definition }: Changed): Found {
  const places = differences(approved, definition, [], mostPlaces);
  const runsElse = running.some((name) => differences(at(approved, name), at(definition, name), [], 1).length > 0);
  return {
    severity: runsElse ? 'critical' : 'high',
    reason: `Server ${shown(name)} is not what was approved on ${approvedAt.toISOString().slice(0, 10)}: ${
      runsElse ? 'what it runs or reaches was changed' : 'it was changed'
    } (${places
      .slice(0, 3)
      .map((place) => shown(place, 60))
      .join(', ')}${places.length > 3 ? ' and more' : ''}).`,
    evidence: {
      approvedHash,
      approvedAt: approvedAt.toISOString(),
      hash,
      places: places.slice(0, mostPlaces).map((place) => clipped(place)),
    },
    fix: 'Compare it with the version before in the history of its file: take it back, or have the new one approved.',
  };
}

/** JSON pointers of what is not the same, the first `most` of them. */
export function differences(
  before: JsonValue,
  after: JsonValue,
  path: (string | number)[] = [],
  most = Infinity,
  found: string[] = [],
): string[] {
  if (found.length >= most) return found;
  if (isPart(before) && isPart(after) && Array.isArray(before) === Array.isArray(after)) {
    const names = Array.isArray(before)
      ? Array.from({ length: Math.max(before.length, (after as JsonValue[]).length) }, (_, index) => index)
      : [...new Set([...Object.keys(before), ...Object.keys(after)])].sort();
    for (const name of names) differences(at(before, name), at(after, name), [...path, name], most, found);
  } else if (JSON.stringify(before) !== JSON.stringify(after)) found.push(pointerTo(path));
  return found;
}

type Part = JsonObject | JsonValue[];
const isPart = (value: JsonValue): value is Part => typeof value === 'object' && value !== null;
const at = (part: Part, name: string | number): JsonValue =>
  (Array.isArray(part) ? part[name as number] : Object.hasOwn(part, name) ? part[name] : undefined) ?? null;
