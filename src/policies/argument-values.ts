import type { CedarValueJson } from '@cedar-policy/cedar-wasm/nodejs';
import type { JsonObject, JsonValue } from '../platform/json/strict-json.js';
import type { RecordShape, Shape } from './argument-shape.js';

export type Path = readonly string[];

export interface ArgumentValues {
  record: Record<string, CedarValueJson>;
  /** Paths of values that Cedar cannot receive exactly: a policy that mentions one must not be evaluated. */
  unmapped: Path[];
}

/**
 * Converts arguments to Cedar values of the tool's shape. Never rounds, coerces or fills in defaults: omits values
 * without an exact representation and lists them in `unmapped`.
 */
export function argumentValues(shape: RecordShape, args: JsonObject): ArgumentValues {
  const unmapped: Path[] = [];
  return { record: record(shape, args, [], unmapped), unmapped };
}

type CedarRecord = Record<string, CedarValueJson>;

function record({ attributes }: RecordShape, object: JsonObject, path: Path, unmapped: Path[]): CedarRecord {
  const members: [string, CedarValueJson][] = [];
  for (const [name, { shape, required }] of attributes) {
    if (!Object.hasOwn(object, name)) continue;
    const value = object[name];
    // Cedar has no null, so null becomes an absent attribute; if the schema permits null, the attribute is optional
    if (value === null && !required) continue;
    const mapped = mapValue(shape, value, [...path, name], unmapped);
    // without a required attribute, Cedar evaluates no policy at all; no policy reads the placeholder, as it is
    // unmapped
    if (mapped !== undefined || required) members.push([name, mapped ?? placeholderValue(shape)]);
  }
  for (const name of Object.keys(object)) if (!attributes.has(name)) unmapped.push([...path, name]);
  return Object.fromEntries(members);
}

function mapValue(shape: Shape, value: JsonValue, path: Path, unmapped: Path[]): CedarValueJson | undefined {
  const mapped = mapExactly(shape, value, path, unmapped);
  if (mapped === undefined) unmapped.push(path);
  return mapped;
}

function mapExactly(shape: Shape, value: JsonValue, path: Path, unmapped: Path[]): CedarValueJson | undefined {
  switch (shape.kind) {
    case 'long':
      return Number.isSafeInteger(value) ? value : undefined;
    case 'decimal':
      return typeof value === 'number' ? decimal(value) : undefined;
    case 'string':
      return typeof value === 'string' ? value : undefined;
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'set':
      return Array.isArray(value) ? set(shape.element, value) : undefined;
    case 'record':
      return isObject(value) ? record(shape, value, path, unmapped) : undefined;
  }
}

/** Converts all items or none: a set with a missing item is a different set. */
function set(element: Shape, items: JsonValue[]): CedarValueJson[] | undefined {
  if (countValues(items) > maxSetItems) return undefined;
  const unmapped: Path[] = [];
  const mapped = items.map((item) => mapValue(element, item, [], unmapped));
  return unmapped.length ? undefined : (mapped as CedarValueJson[]);
}

/** Cedar needs about 10 µs for each item and blocks all other calls meanwhile. */
const maxSetItems = 1000;

/** Counts values at any depth. */
const countValues = (value: JsonValue): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce<number>((sum, inner) => sum + 1 + countValues(inner), 0)
    : 0;

/** Cedar's decimal: at most four decimal places, within ±922337203685477.5807. */
function decimal(value: number): CedarValueJson | undefined {
  const [, whole, fraction = ''] = /^-?(\d+)(?:\.(\d+))?$/.exec(String(value)) ?? [];
  if (whole === undefined || fraction.length > 4 || Math.abs(value) > 922337203685477) return undefined;
  return { __extn: { fn: 'decimal', arg: `${value < 0 ? '-' : ''}${whole}.${fraction || '0'}` } };
}

function placeholderValue(shape: Shape): CedarValueJson {
  switch (shape.kind) {
    case 'long':
      return 0;
    case 'decimal':
      return { __extn: { fn: 'decimal', arg: '0.0' } };
    case 'string':
      return '';
    case 'boolean':
      return false;
    case 'set':
      return [];
    case 'record':
      return Object.fromEntries(
        [...shape.attributes]
          .filter(([, { required }]) => required)
          .map(([name, inner]) => [name, placeholderValue(inner.shape)]),
      );
  }
}

const isObject = (value: JsonValue): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
