import type { JsonObject, JsonValue } from '../json/strict-json.js';
import { type LinearPattern, linearPattern } from './linear-pattern.js';

/** Maximum nesting of schemas and values. */
export const maxJsonSchemaDepth = 200;
const maxPatternInstructions = 6000;
/** A schema with more subschemas is not checked in this process. */
const maxSubschemas = 20_000;

export type JsonSchemaNode = JsonObject | boolean;

/** A schema whose keywords `checkWithinBudget` all supports. */
export interface SupportedSchema {
  root: JsonSchemaNode;
  /** Draft 7 and before: `items` may be a list. */
  isLegacy: boolean;
  patterns: ReadonlyMap<string, LinearPattern>;
  references: ReadonlyMap<string, JsonSchemaNode>;
}

/** The schema is malformed or has an unsupported keyword. */
class UnsupportedSchema extends Error {}

export const isLegacyDialect = ({ $schema }: JsonObject): boolean =>
  typeof $schema === 'string' && /draft-0[4-7]/.test($schema);

/** Returns null if the schema is malformed or unsupported. */
export function parseSupportedSchema(schema: JsonObject): SupportedSchema | null {
  const survey = new SchemaSurvey(schema, isLegacyDialect(schema));
  try {
    survey.walk(schema, 0);
    return survey.toSupportedSchema();
  } catch (error) {
    if (error instanceof UnsupportedSchema) return null;
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

const simpleKeywords: Record<string, (value: JsonValue) => boolean> = {
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
const subschemaKeywords = ['additionalProperties', 'propertyNames', 'not', 'if', 'then', 'else'];
const subschemaListKeywords = ['allOf', 'anyOf', 'oneOf'];
/** Definitions are visited only if a reference leads to them. */
const definitionKeywords = ['$defs', 'definitions'];
const ignoredKeywords = new Set([
  ...['$schema', '$comment', 'title', 'description', 'default', 'examples', 'deprecated', 'readOnly', 'writeOnly'],
  ...['format', 'contentMediaType', 'contentEncoding', 'contentSchema', ...definitionKeywords],
]);
const unsupportedKeywords = new Set([
  ...['$id', 'id', '$anchor', '$dynamicAnchor', '$dynamicRef', '$recursiveAnchor', '$recursiveRef', '$vocabulary'],
  ...['contains', 'minContains', 'maxContains', 'unevaluatedProperties', 'unevaluatedItems', 'dependencies'],
  ...['dependentRequired', 'dependentSchemas', 'discriminator', '$async', '$data'],
]);

class SchemaSurvey {
  private readonly patterns = new Map<string, LinearPattern>();
  private readonly references = new Map<string, JsonSchemaNode>();
  private readonly seen = new Set<JsonObject>();
  private instructions = 0;

  private readonly root: JsonObject;
  private readonly isOld: boolean;

  constructor(root: JsonObject, isOld: boolean) {
    this.root = root;
    this.isOld = isOld;
  }

  toSupportedSchema(): SupportedSchema {
    return { root: this.root, isLegacy: this.isOld, patterns: this.patterns, references: this.references };
  }

  walk(schema: JsonValue, depth: number): void {
    if (typeof schema === 'boolean') return;
    if (!isObject(schema) || depth > maxJsonSchemaDepth) throw new UnsupportedSchema();
    if (this.seen.has(schema)) return;
    if (this.seen.size >= maxSubschemas) throw new UnsupportedSchema();
    this.seen.add(schema);
    for (const [keyword, value] of Object.entries(schema)) this.keyword(keyword, value, schema, depth);
  }

  private keyword(keyword: string, value: JsonValue, schema: JsonObject, depth: number): void {
    if (unsupportedKeywords.has(keyword) && !(keyword === '$id' && schema === this.root)) throw new UnsupportedSchema();
    if (ignoredKeywords.has(keyword)) return;
    if (Object.hasOwn(simpleKeywords, keyword)) {
      if (!simpleKeywords[keyword](value)) throw new UnsupportedSchema();
    } else if (keyword === 'nullable') {
      if (!isFlag(value) || schema.type === undefined) throw new UnsupportedSchema();
    } else if (subschemaKeywords.includes(keyword)) this.walk(value, depth + 1);
    else if (subschemaListKeywords.includes(keyword)) this.list(value, depth);
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
    else throw new UnsupportedSchema();
  }

  private list(value: JsonValue, depth: number): void {
    if (!Array.isArray(value) || !value.length) throw new UnsupportedSchema();
    for (const each of value) this.walk(each, depth + 1);
  }

  private members(value: JsonValue, depth: number): void {
    if (!isObject(value)) throw new UnsupportedSchema();
    for (const each of Object.values(value)) this.walk(each, depth + 1);
  }

  private pattern(source: JsonValue): void {
    if (typeof source !== 'string') throw new UnsupportedSchema();
    if (this.patterns.has(source)) return;
    const pattern = linearPattern(source);
    this.instructions += pattern?.size ?? 0;
    if (!pattern || this.instructions > maxPatternInstructions) throw new UnsupportedSchema();
    this.patterns.set(source, pattern);
  }

  private reference(pointer: JsonValue, depth: number): void {
    if (typeof pointer !== 'string') throw new UnsupportedSchema();
    if (this.references.has(pointer)) return;
    const target = resolveReference(this.root, pointer);
    if (target === undefined) throw new UnsupportedSchema();
    this.references.set(pointer, target as JsonSchemaNode);
    this.walk(target, depth + 1);
  }
}

/** The target of a reference inside the document; undefined if there is none. */
function resolveReference(root: JsonObject, reference: string): JsonValue | undefined {
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
