import type { JsonObject, JsonValue } from '../../../platform/json/strict-json.js';
import { pointerTo } from '../../../platform/json/strict-json.js';
import type { RuleMatch, FindingRule } from '../rule.js';
import { clippedText, quotedText } from '../quoted-text.js';

export const definitionChangedRule: FindingRule = {
  id: 'definition_changed',
  title: 'Changed since it was approved',
  why: 'What was looked at and approved is not what runs. Clients ask once whether a server may be started, and some never again (CVE-2025-54136).',
};

/** An entry that once was approved, as it was then and as it is now. */
export interface ChangedDefinition {
  name: string;
  approvedHash: string;
  approvedAt: Date;
  approved: JsonObject;
  hash: string;
  definition: JsonObject;
}

const maxChangedPlaces = 20;
/** What says which program runs, or which address is reached. */
const executionFields = ['command', 'args', 'url', 'serverUrl', 'httpUrl'];

export function definitionChangedMatch({
  name,
  approvedHash,
  approvedAt,
  approved,
  hash,
  definition,
}: ChangedDefinition): RuleMatch {
  const places = differingPointers(approved, definition, [], maxChangedPlaces);
  const changesExecution = executionFields.some(
    (name) => differingPointers(childOf(approved, name), childOf(definition, name), [], 1).length > 0,
  );
  return {
    severity: changesExecution ? 'critical' : 'high',
    reason: `Server ${quotedText(name)} is not what was approved on ${approvedAt.toISOString().slice(0, 10)}: ${
      changesExecution ? 'what it runs or reaches was changed' : 'it was changed'
    } (${places
      .slice(0, 3)
      .map((place) => quotedText(place, 60))
      .join(', ')}${places.length > 3 ? ' and more' : ''}).`,
    evidence: {
      approvedHash,
      approvedAt: approvedAt.toISOString(),
      hash,
      places: places.slice(0, maxChangedPlaces).map((place) => clippedText(place)),
    },
    fix: 'Compare it with the version before in the history of its file: take it back, or have the new one approved.',
  };
}

/** JSON pointers of what is not the same, the first `most` of them. */
export function differingPointers(
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
    for (const name of names)
      differingPointers(childOf(before, name), childOf(after, name), [...path, name], most, found);
  } else if (JSON.stringify(before) !== JSON.stringify(after)) found.push(pointerTo(path));
  return found;
}

type Part = JsonObject | JsonValue[];
const isPart = (value: JsonValue): value is Part => typeof value === 'object' && value !== null;
const childOf = (part: Part, name: string | number): JsonValue =>
  (Array.isArray(part) ? part[name as number] : Object.hasOwn(part, name) ? part[name] : undefined) ?? null;
