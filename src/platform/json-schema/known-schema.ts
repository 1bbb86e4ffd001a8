import type { JsonObject, JsonValue } from '../json/strict-json.js';
import { type LinearPattern, linearPattern } from './linear-pattern.js';

/** Schemas, and values within each other, that are looked into. */
export const deepest = 200;
const mostPatternInstructions = 6000;
/** A schema with more is not examined in this process. */
const mostSubschemas = 20_000;

export type Schema = JsonObject | boolean;

/** A schema that only has keywords of which `checkWithin` knows the meaning. */
export interface KnownSchema {
  root: Schema;
  /** Draft 7 and before: `items` may be a list. */
  isOld: boolean;
  patterns: ReadonlyMap<string, LinearPattern>;
  references: ReadonlyMap<string, Schema>;
}

/** Something in the schema is malformed, or a keyword that is not known here. */
class Unknown extends Error {}

export const isOldDialect = ({ $schema }: JsonObject): boolean =>
  typeof $schema === 'string' && /draft-0[4-7]/.test($schema);

/** Null: the schema has something that is not known here, which may be a mistake. */
export function knownSchema(schema: JsonObject): KnownSchema | null {
  const survey = new Survey(schema, isOldDialect(schema));
  try {
    survey.walk(schema, 0);
    return survey.known();
  } catch (error) {
    if (error instanceof Unknown) return null;
    throw error;
  }
}

const isObject = (value: JsonValue | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isCount = (value: JsonValue) => typeof value === 'number' && Number.isInteger(value) && value >= 0;
const isNumber = (value: JsonValue) => typeof value === 'number' && Number.isFinite(value);
const isText = (value: JsonValue) => typeof value === 'string';
const isFlag = (value: JsonValue) => typeof value === 'boolean';
const isTextList = (value: JsonValue) => Array.isArray(value) && value.every(isText);
const types = new Set(['null', 'boolean', 'object', 'array', 'number', 'integer', 'string']);
const isType = (value: JsonValue) =>
  typeof value === 'string'
    ? types.has(value)
    : isTextList(value) &&
      new Set(value as string[]).size === (value as string[]).length &&
      (value as string[]).every((one) => types.has(one));

const plain: Record<string, (value: JsonValue) => boolean> = {
  type: isType,
  enum: (value) => Array.isArray(value) && value.length > 0,
  const: () => true,
  multipleOf: (value) => isNumber(value) && (value as number) > 0,
  minimum: isNumber,
  maximum: isNumber,
  exclusiveMinimum: isNumber,
  exclusiveMaximum: isNumber,
  minLength: isCount,
  maxLength: isCount,
  minItems: isCount,
  maxItems: isCount,
  minProperties: isCount,
  maxProperties: isCount,
  uniqueItems: isFlag,
  required: isTextList,
};
const oneSchema = ['additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else'];
const listsOfSchemas = ['allOf', 'anyOf', 'oneOf'];
/** They are looked into where something refers to them. */
const definitions = ['$defs', 'definitions'];
const ignored = new Set([
  ...['$schema', '$comment', 'title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['format', 'contentMediaType', 'contentEncoding', 'contentSchema', ...definitions],
]);
const unknown = new Set([
  ...['$id', 'id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveAnchor', '$recursiveRef', '$vocabulary'],
  ...['contains', 'minContains', 'maxContains', 'unevaluatedProperties', 'unevaluatedItems', 'dependencies'],
  ...['dependentRequired', 'dependentSchemas', 'discriminator', '$async', '$data'],
]);

class Survey {
  private readonly patterns = new Map<string, LinearPattern>();
  private readonly references = new Map<string, Schema>();
  private readonly seen = new Set<JsonObject>();
  private instructions = 0;

  private readonly root: JsonObject;
  private readonly isOld: boolean;

  constructor(root: JsonObject, isOld: boolean) {
    this.root = root;
    this.isOld = isOld;
  }

  known(): KnownSchema {
    return { root: this.root, isOld: this.isOld, patterns: this.patterns, references: this.references };
  }

  walk(schema: JsonValue, depth: number): void {
    if (typeof schema === 'boolean') return;
    if (!isObject(schema) || depth > deepest) throw new Unknown();
    if (this.seen.has(schema)) return;
    if (this.seen.size >= mostSubschemas) throw new Unknown();
    this.seen.add(schema);
    for (const [keyword, value] of Object.entries(schema)) this.keyword(keyword, value, schema, depth);
  }

  private keyword(keyword: string, value: JsonValue, schema: JsonObject, depth: number): void {
    if (unknown.has(keyword) && !(keyword === '$id' && schema === this.root)) throw new Unknown();
    if (ignored.has(keyword)) return;
    if (Object.hasOwn(plain, keyword)) {
      if (!plain[keyword](value)) throw new Unknown();
    } else if (keyword === 'nullable') {
      if (!isFlag(value) || schema.type === undefined) throw new Unknown();
    } else if (oneSchema.includes(keyword)) this.walk(value, depth + 1);
    else if (listsOfSchemas.includes(keyword)) this.list(value, depth);
    else if (keyword === 'items') this.items(value, depth);
    else if (keyword === 'prefixItems' && !this.isOld) this.list(value, depth);
    else if (keyword === 'additionalItems' && this.isOld) this.walk(value, depth + 1);
    else if (keyword === 'properties') this.members(value, depth);
    else if (keyword === 'patternProperties') {
      this.members(value, depth);
      for (const source of Object.keys(value as JsonObject)) this.pattern(source);
    } else if (keyword === 'pattern') this.pattern(value);
    else if (keyword === '$ref') this.reference(value, depth);
  }

  private items(value: JsonValue, depth: number): void {
    if (!Array.isArray(value)) this.walk(value, depth + 1);
    else if (this.isOld) this.list(value, depth);
    else throw new Unknown();
  }

  private list(value: JsonValue, depth: number): void {
    if (!Array.isArray(value) || !value.length) throw new Unknown();
    for (const each of value) this.walk(each, depth + 1);
  }

  private members(value: JsonValue, depth: number): void {
    if (!isObject(value)) throw new Unknown();
    for (const each of Object.values(value)) this.walk(each, depth + 1);
  }

  private pattern(source: JsonValue): void {
    if (typeof source !== 'string') throw new Unknown();
    if (this.patterns.has(source)) return;
    const pattern = linearPattern(source);
    this.instructions += pattern?.size ?? 0;
    if (!pattern || this.instructions > mostPatternInstructions) throw new Unknown();
    this.patterns.set(source, pattern);
  }

  private reference(pointer: JsonValue, depth: number): void {
    if (typeof pointer !== 'string') throw new Unknown();
    if (this.references.has(pointer)) return;
    const target = at(this.root, pointer);
    if (target === undefined) throw new Unknown();
    this.references.set(pointer, target as Schema);
    this.walk(target, depth + 1);
  }
}

/** What a reference within the document leads to. */
function at(root: JsonObject, reference: string): JsonValue | undefined {
  if (reference === '#') return root;
  if (!/^#\/[^%]*$/.test(reference)) return undefined;
  let value: JsonValue | undefined = root;
  for (const step of reference.slice(2).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as JsonObject)[key];
  }
  return value;
}
