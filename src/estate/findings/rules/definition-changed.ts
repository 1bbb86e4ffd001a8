import type { JsonObject, JsonValue } from '../../../platform/json/strict-json.js';
import { pointerTo } from '../../../platform/json/strict-json.js';
import { dayOf } from '../../../platform/time/day.js';
import type { RuleMatch, FindingRule } from '../rule.js';
import { clippedText, quotedText } from '../quoted-text.js';

export const definitionChangedRule: FindingRule = {
  id: 'definition_changed',
  title: 'Changed since approval',
  why: 'The reviewed and approved definition is not what runs. Clients ask once whether a server may start, and some never ask again (CVE-2025-54136).',
};

/** A previously approved entry, with its approved and its current definition. */
export interface ChangedDefinition {
  name: string;
  approvedHash: string;
  approvedAt: Date;
  approved: JsonObject;
  hash: string;
  definition: JsonObject;
}

const maxChangedPlaces = 20;
/** Fields that determine which program runs or which address is contacted. */
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
    reason: `Server ${quotedText(name)} has changed since it was approved on ${dayOf(approvedAt)}: ${
      changesExecution ? 'what it runs or connects to is different' : 'its settings are different'
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
    fix: 'Compare it with the previous version in the history of its file. Revert the change, or ask an administrator to approve the new definition.',
  };
}

/** JSON pointers of the first `most` differences. */
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
