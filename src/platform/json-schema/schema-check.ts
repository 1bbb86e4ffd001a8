import type { InvalidField } from '../errors/problem.js';
import { type JsonObject, type JsonValue, pointerTo } from '../json/strict-json.js';
import { maxJsonSchemaDepth, type SupportedSchema, type JsonSchemaNode } from './supported-schema.js';
import { truncate } from '../text/truncate.js';

/*
 * Checks a value against a foreign JSON Schema without compiling it, within a step budget. It supports the keywords
 * that tools commonly use. Isolated workers handle other keywords and checks that exceed the budget.
 */

/** The check stops after this many errors. */
export const maxReportedFields = 20;
const maxPointerLength = 1000;
const maxDetailLength = 300;

/** The check exceeded its step budget or the maximum depth. */
export class BudgetExceeded extends Error {}

/** Errors of the value, at most `maxReportedFields`; empty if it is valid. Throws BudgetExceeded. */
export function checkWithinBudget(schema: SupportedSchema, value: JsonValue, steps: number): InvalidField[] {
  return new SchemaChecker(schema, steps).faultsOf(schema.root, value, '', 0);
}

class SchemaChecker {
  /**
   * Errors of the schema being checked, up to its enclosing choice: any error means that this choice does not match.
   */
  private faults: InvalidField[] = [];
  private readonly supported: SupportedSchema;
  private steps: number;

  constructor(supported: SupportedSchema, steps: number) {
    this.supported = supported;
    this.steps = steps;
  }

  /** Errors of this schema alone; empty if the value is valid. */
  faultsOf(schema: JsonSchemaNode, value: JsonValue, pointer: string, depth: number): InvalidField[] {
    const outerFaults = this.faults;
    this.faults = [];
    this.visit(schema, value, pointer, depth);
    const own = this.faults;
    this.faults = outerFaults;
    return own;
  }

  private visit(schema: JsonSchemaNode, value: JsonValue, pointer: string, depth: number): void {
    this.spend(1);
    if (depth > maxJsonSchemaDepth) throw new BudgetExceeded();
    if (this.isFull || schema === true) return;
    if (schema === false) return this.fail(pointer, 'boolean schema is false');
    if (!this.hasType(schema, value)) {
      const { type } = schema;
      return this.fail(pointer, `must be ${Array.isArray(type) ? type.join(',') : String(type)}`);
    }
    this.applyInPlaceKeywords(schema, value, pointer, depth);
    if (typeof value === 'string') this.text(schema, value, pointer);
    else if (typeof value === 'number') this.number(schema, value, pointer);
    else if (Array.isArray(value)) this.array(schema, value, pointer, depth);
    else if (value !== null && typeof value === 'object') this.object(schema, value, pointer, depth);
  }

  private spend(steps: number): void {
    this.steps -= steps;
    if (this.steps < 0) throw new BudgetExceeded();
  }

  private spendOn(text: string): void {
    this.spend(text.length >> 6);
  }

  private fail(pointer: string, detail: string): void {
    if (!this.isFull)
      this.faults.push({ pointer: truncate(pointer, maxPointerLength), detail: truncate(detail, maxDetailLength) });
  }

  private get isFull(): boolean {
    return this.faults.length >= maxReportedFields;
  }

  private hasType({ type, nullable }: JsonObject, value: JsonValue): boolean {
    if (type === undefined || (nullable === true && value === null)) return true;
    return Array.isArray(type)
      ? type.some((name) => hasJsonType(name as string, value))
      : hasJsonType(type as string, value);
  }

  private applyInPlaceKeywords(schema: JsonObject, value: JsonValue, pointer: string, depth: number): void {
    if (schema.$ref !== undefined)
      this.visit(this.supported.references.get(schema.$ref as string)!, value, pointer, depth + 1);
    if (schema.enum !== undefined) this.checkEnum(schema.enum as JsonValue[], value, pointer);
    if (Object.hasOwn(schema, 'const') && !this.isSame(schema.const, value))
      this.fail(pointer, 'must be equal to constant');
    for (const each of (schema.allOf ?? []) as JsonSchemaNode[]) this.visit(each, value, pointer, depth + 1);
    if (schema.anyOf !== undefined) this.anyOf(schema.anyOf as JsonSchemaNode[], value, pointer, depth);
    if (schema.oneOf !== undefined) this.oneOf(schema.oneOf as JsonSchemaNode[], value, pointer, depth);
    if (schema.not !== undefined && this.fits(schema.not as JsonSchemaNode, value, depth))
      this.fail(pointer, 'must NOT be valid');
    if (schema.if !== undefined) {
      const branch = this.fits(schema.if as JsonSchemaNode, value, depth) ? schema.then : schema.else;
      if (branch !== undefined) this.visit(branch as JsonSchemaNode, value, pointer, depth + 1);
    }
  }

  private fits(schema: JsonSchemaNode, value: JsonValue, depth: number): boolean {
    return !this.faultsOf(schema, value, '', depth + 1).length;
  }

  private checkEnum(choices: JsonValue[], value: JsonValue, pointer: string): void {
    if (choices.some((choice) => this.isSame(choice, value))) return;
    const shown = JSON.stringify(choices.slice(0, maxReportedFields));
    this.spendOn(shown);
    this.fail(pointer, `must be equal to one of the allowed values: ${truncate(shown, 200)}`);
  }

  private anyOf(choices: JsonSchemaNode[], value: JsonValue, pointer: string, depth: number): void {
    const collected: InvalidField[] = [];
    for (const choice of choices) {
      const own = this.faultsOf(choice, value, pointer, depth + 1);
      if (!own.length) return;
      collected.push(...own);
    }
    for (const fault of collected) this.fail(fault.pointer, fault.detail);
    this.fail(pointer, 'must match a schema in anyOf');
  }

  private oneOf(choices: JsonSchemaNode[], value: JsonValue, pointer: string, depth: number): void {
    const faultsByChoice = choices.map((choice) => this.faultsOf(choice, value, pointer, depth + 1));
    const matching = faultsByChoice.filter((own) => !own.length).length;
    if (matching === 1) return;
    if (!matching) for (const fault of faultsByChoice.flat()) this.fail(fault.pointer, fault.detail);
    this.fail(pointer, 'must match exactly one schema in oneOf');
  }

  private text({ minLength, maxLength, pattern }: JsonObject, value: string, pointer: string): void {
    if (minLength !== undefined || maxLength !== undefined) {
      this.spendOn(value);
      const length = characterCount(value);
      if (typeof maxLength === 'number' && length > maxLength)
        this.fail(pointer, `must NOT have more than ${maxLength} characters`);
      if (typeof minLength === 'number' && length < minLength)
        this.fail(pointer, `must NOT have fewer than ${minLength} characters`);
    }
    if (pattern !== undefined && !this.matches(pattern as string, value))
      this.fail(pointer, `must match pattern "${pattern as string}"`);
  }

  private matches(source: string, text: string): boolean {
    const pattern = this.supported.patterns.get(source)!;
    this.spend(1 + (pattern.size * text.length) / 16);
    return pattern.test(text);
  }

  private number(schema: JsonObject, value: number, pointer: string): void {
    for (const [keyword, sign, isWithin] of numericBounds) {
      const bound = schema[keyword];
      if (typeof bound === 'number' && !isWithin(value, bound)) this.fail(pointer, `must be ${sign} ${bound}`);
    }
    const { multipleOf } = schema;
    if (typeof multipleOf === 'number' && !Number.isInteger(value / multipleOf))
      this.fail(pointer, `must be multiple of ${multipleOf}`);
  }

  private array(schema: JsonObject, value: JsonValue[], pointer: string, depth: number): void {
    const { minItems, maxItems, uniqueItems, items } = schema;
    if (typeof maxItems === 'number' && value.length > maxItems)
      this.fail(pointer, `must NOT have more than ${maxItems} items`);
    if (typeof minItems === 'number' && value.length < minItems)
      this.fail(pointer, `must NOT have fewer than ${minItems} items`);
    if (uniqueItems === true && !this.isUnique(value)) this.fail(pointer, 'must NOT have duplicate items');
    const first = (
      this.supported.isLegacy ? (Array.isArray(items) ? items : []) : (schema.prefixItems ?? [])
    ) as JsonSchemaNode[];
    const rest = (this.supported.isLegacy && Array.isArray(items) ? schema.additionalItems : items) as
      JsonSchemaNode | undefined;
    for (let index = 0; index < value.length && !this.isFull; index++) {
      const own = index < first.length ? first[index] : rest;
      if (own === undefined) return;
      this.visit(own, value[index], `${pointer}/${index}`, depth + 1);
    }
  }

  private object(schema: JsonObject, value: JsonObject, pointer: string, depth: number): void {
    const { minProperties, maxProperties, required, propertyNames } = schema;
    for (const key of (required ?? []) as string[]) {
      this.spend(1);
      if (!Object.hasOwn(value, key)) this.fail(childPointer(pointer, key), 'is required');
    }
    const keys = Object.keys(value);
    if (typeof maxProperties === 'number' && keys.length > maxProperties)
      this.fail(pointer, `must NOT have more than ${maxProperties} properties`);
    if (typeof minProperties === 'number' && keys.length < minProperties)
      this.fail(pointer, `must NOT have fewer than ${minProperties} properties`);
    if (schema.patternProperties !== undefined) this.spend(Object.keys(schema.patternProperties as JsonObject).length);
    const patterned = Object.entries((schema.patternProperties ?? {}) as Record<string, JsonSchemaNode>);
    for (const key of keys) {
      if (this.isFull) return;
      this.spend(1);
      this.spendOn(key);
      if (propertyNames !== undefined && !this.fits(propertyNames as JsonSchemaNode, key, depth))
        this.fail(pointer, 'property name must be valid');
      this.member(schema, patterned, value, key, pointer, depth);
    }
  }

  private member(
    schema: JsonObject,
    patterned: readonly [string, JsonSchemaNode][],
    value: JsonObject,
    key: string,
    pointer: string,
    depth: number,
  ): void {
    const { additionalProperties } = schema;
    const properties = (schema.properties ?? {}) as Record<string, JsonSchemaNode>;
    const own = childPointer(pointer, key);
    let isNamed = Object.hasOwn(properties, key);
    if (isNamed) this.visit(properties[key], value[key], own, depth + 1);
    for (const [source, each] of patterned) {
      if (!this.matches(source, key)) continue;
      isNamed = true;
      this.visit(each, value[key], own, depth + 1);
    }
    if (isNamed || additionalProperties === undefined) return;
    if (additionalProperties === false) this.fail(own, 'is not a property of this tool');
    else this.visit(additionalProperties as JsonSchemaNode, value[key], own, depth + 1);
  }

  private isUnique(items: JsonValue[]): boolean {
    return new Set(items.map((item) => this.textOf(item))).size === items.length;
  }

  /** A canonical text: equal values, and only these, have the same one. */
  private textOf(value: JsonValue): string {
    this.spend(1);
    if (typeof value === 'string') this.spendOn(value);
    if (typeof value !== 'object' || value === null) return JSON.stringify(value);
    if (Array.isArray(value)) return `[${value.map((each) => this.textOf(each)).join()}]`;
    const keys = Object.keys(value).sort();
    for (const key of keys) this.spendOn(key);
    return `{${keys.map((key) => `${JSON.stringify(key)}:${this.textOf(value[key])}`).join()}}`;
  }

  private isSame(one: JsonValue, other: JsonValue): boolean {
    this.spend(1);
    if (one === other) return true;
    if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false;
    return this.textOf(one) === this.textOf(other);
  }
}

const numericBounds = [
  ['minimum', '>=', (value: number, bound: number) => value >= bound],
  ['maximum', '<=', (value: number, bound: number) => value <= bound],
  ['exclusiveMinimum', '>', (value: number, bound: number) => value > bound],
  ['exclusiveMaximum', '<', (value: number, bound: number) => value < bound],
] as const;

/** Truncates long keys, because a key may be as long as all arguments. */
const childPointer = (pointer: string, key: string): string =>
  pointer.length < maxPointerLength ? `${pointer}${pointerTo([key.slice(0, maxPointerLength)])}` : pointer;

function hasJsonType(name: string, value: JsonValue): boolean {
  switch (name) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === name;
  }
}

/** Counts code points, not the UTF-16 code units of `length`. */
function characterCount(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}
