import type { JsonObject, JsonValue } from '../platform/json/strict-json.js';
import { argumentShape, type RecordShape, type Shape } from './argument-shape.js';
import { policySurfaces } from './cedar-schema.js';
import type { Policy } from './policy.js';
import { concerns } from './tool-plan.js';

/** A call of a tool as policies see it. */
export interface SampleCall {
  args: JsonObject;
  surface: string;
  tainted: boolean;
}

/** A value of one argument, of the surface, or of the taint. `undefined`: the argument is absent. */
interface Dimension {
  set(call: SampleCall, value: JsonValue): void;
  values: (JsonValue | undefined)[];
}

const maxLiterals = 12;

/**
 * Calls on both sides of every comparison that the policies make: each literal, its neighbors, another value, and the
 * absence of an optional argument. Combines them, and if that gives more than `limit` calls, takes an even selection.
 */
export function sampleCalls(inputSchema: JsonObject, policies: readonly Policy[], limit: number): SampleCall[] {
  const dimensions = dimensionsOf(inputSchema, policies);
  const total = dimensions.reduce((product, { values }) => Math.min(product * values.length, 1e9), 1);
  const count = Math.min(total, limit);
  // odd and close to the golden ratio, so that the selection varies every dimension
  const step = count < total ? Math.floor(total * 0.618) | 1 : 1;
  return Array.from({ length: count }, (_, at) => callAt((at * step) % total, dimensions));
}

function callAt(index: number, dimensions: readonly Dimension[]): SampleCall {
  const call: SampleCall = { args: {}, surface: 'a2a', tainted: false };
  let rest = index;
  for (const { set, values } of dimensions) {
    const value = values[rest % values.length];
    rest = Math.floor(rest / values.length);
    if (value !== undefined) set(call, value);
  }
  return call;
}

function dimensionsOf(inputSchema: JsonObject, policies: readonly Policy[]): Dimension[] {
  const mentions = policies.flatMap((policy) => policy.mentions);
  const isMentioned = (root: string) => mentions.some(([first]) => first === undefined || first === root);
  const literals = literalsOf(policies);
  return [
    ...(isMentioned('surface')
      ? [
          {
            set: (call: SampleCall, value: JsonValue) => void (call.surface = value as string),
            values: [...policySurfaces],
          },
        ]
      : []),
    ...(isMentioned('tainted')
      ? [{ set: (call: SampleCall, value: JsonValue) => void (call.tainted = value as boolean), values: [false, true] }]
      : []),
    ...argumentDimensions(
      argumentShape(inputSchema).record,
      [],
      (path) => mentions.some((one) => concerns(one, path)),
      literals,
    ),
  ];
}

function argumentDimensions(
  { attributes }: RecordShape,
  at: string[],
  isMentioned: (path: string[]) => boolean,
  literals: Literals,
): Dimension[] {
  return [...attributes].flatMap(([name, { shape, required }]): Dimension[] => {
    const path = [...at, name];
    if (!isMentioned(path) && !required) return [];
    if (shape.kind === 'record') return argumentDimensions(shape, path, isMentioned, literals);
    const values = valuesOf(shape, literals);
    const used = isMentioned(path) ? values : values.slice(0, 1);
    return [{ set: (call, value) => setAt(call.args, path, value), values: required ? used : [...used, undefined] }];
  });
}

function setAt(args: JsonObject, path: readonly string[], value: JsonValue): void {
  const inner = path.slice(0, -1).reduce((object, name) => (object[name] ??= {}) as JsonObject, args);
  inner[path.at(-1)!] = value;
}

function valuesOf(shape: Exclude<Shape, RecordShape>, literals: Literals): JsonValue[] {
  switch (shape.kind) {
    case 'string':
      return shape.values?.length ? [...shape.values].slice(0, maxLiterals) : [...literals.texts, 'another value'];
    case 'long':
      return unique([...literals.numbers.filter(Number.isInteger).flatMap((one) => [one, one - 1, one + 1]), 0]);
    case 'decimal':
      return unique([...literals.numbers.flatMap((one) => [one, one - 0.5, one + 0.5]), 0]);
    case 'boolean':
      return [true, false];
    case 'set':
      return [
        [],
        ...(shape.element.kind === 'record'
          ? []
          : valuesOf(shape.element as Exclude<Shape, RecordShape>, literals)
        ).map((one) => [one]),
      ];
  }
}

const unique = <T>(values: T[]): T[] => [...new Set(values)];

interface Literals {
  texts: string[];
  numbers: number[];
}

/** The literals in the conditions. A pattern becomes a text that it matches. */
function literalsOf(policies: readonly Policy[]): Literals {
  const found: (string | number)[] = [];
  for (const { json } of policies) collectLiterals(json.conditions, found);
  const texts = found.filter((one) => typeof one === 'string');
  // Cedar writes a decimal as a text
  const numbers = found.map(Number).filter((one) => Number.isSafeInteger(Math.trunc(one)));
  return { texts: unique(texts).slice(0, maxLiterals), numbers: unique(numbers).slice(0, maxLiterals) };
}

function collectLiterals(node: unknown, found: (string | number)[]): void {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, inner] of Object.entries(node)) {
    if (key === 'Value' && (typeof inner === 'string' || typeof inner === 'number')) found.push(inner);
    else if (key === 'pattern' && Array.isArray(inner)) found.push(inner.map(patternText).join(''));
    else collectLiterals(inner, found);
  }
}

const patternText = (part: unknown): string =>
  typeof part === 'object' && part !== null && 'Literal' in part ? String(part.Literal) : '';
