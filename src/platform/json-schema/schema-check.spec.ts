import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { JsonObject, JsonValue } from '../json/strict-json.js';
import { parseSupportedSchema } from './supported-schema.js';
import { BudgetExceeded, checkWithinBudget, maxReportedFields } from './schema-check.js';

const check = (schema: JsonObject, value: JsonValue, steps = 100_000) =>
  checkWithinBudget(parseSupportedSchema(schema)!, value, steps);

const key = fc.constantFrom('a', 'b', 'c');
const scalar = fc.constantFrom<JsonValue>(null, true, 0, 1, 2.5, -3, '', 'a', 'ab', '😀b');
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
const count = fc.integer({ min: 0, max: 3 });
const type = fc.constantFrom('null', 'boolean', 'object', 'array', 'number', 'integer', 'string');
const { schema } = fc.letrec<{ schema: JsonObject | boolean }>((tie) => {
  const several = fc.array(tie('schema'), { minLength: 1, maxLength: 3 });
  return {
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.boolean(),
      fc.record(
        {
          type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
          enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: (one) => JSON.stringify(one) }),
          const: value,
          minimum: count,
          exclusiveMaximum: count,
          multipleOf: fc.constantFrom(0.5, 2),
          minLength: count,
          maxLength: count,
          pattern: fc.constantFrom('^a', 'b$', '.'),
          minItems: count,
          maxItems: count,
          uniqueItems: fc.boolean(),
          required: fc.uniqueArray(key, { maxLength: 2 }),
          minProperties: count,
          maxProperties: count,
          properties: fc.dictionary(key, tie('schema'), { maxKeys: 2, noNullPrototype: true }),
          patternProperties: fc.dictionary(fc.constantFrom('^[ab]$', 'c'), tie('schema'), {
            maxKeys: 2,
            noNullPrototype: true,
          }),
          additionalProperties: tie('schema'),
          propertyNames: tie('schema'),
          items: tie('schema'),
          prefixItems: several,
          allOf: several,
          anyOf: several,
          oneOf: several,
          not: tie('schema'),
          if: tie('schema'),
          then: tie('schema'),
          else: tie('schema'),
          $ref: fc.constantFrom('#/$defs/one', '#/$defs/two'),
        },
        { requiredKeys: [], noNullPrototype: true },
      ) as fc.Arbitrary<JsonObject>,
    ),
  };
});

describe('the schema check', () => {
  it('agrees with a full validator', () => {
    const definitions = fc.record({ one: schema, two: fc.constant<JsonObject>({ type: ['string', 'object'] }) });
    const root = fc.tuple(schema, definitions).map(([one, { one: inner, two }]) => {
      const $defs = { one: JSON.parse(JSON.stringify(inner).replaceAll('$defs/one', '$defs/two')) as JsonObject, two };
      return typeof one === 'boolean' ? { not: {}, $defs } : { ...one, $defs };
    });
    fc.assert(
      fc.property(root, value, (rules, given) => {
        const faults = check(rules as JsonObject, given);
        const reference = new Ajv2020({
          strict: false,
          validateSchema: false,
          validateFormats: false,
          logger: false,
        }).compile(rules);
        expect({ isValid: faults.length === 0 }).toEqual({ isValid: reference(given) });
      }),
      { numRuns: 150 },
    );
  });

  it('agrees with a full validator for the draft-07 dialect', () => {
    const $schema = 'http://json-schema.org/draft-07/schema#';
    const rules = { $schema, items: [{ type: 'string' }], additionalItems: { type: 'integer' } };
    const { $schema: _, ...reference } = rules;
    for (const given of [['a', 1], ['a', 'b'], [1], [], {}] as JsonValue[])
      expect(!check(rules, given).length).toBe(new Ajv({ strict: false }).validate(reference, given));
  });

  it('stops at the maximum number of errors', () => {
    const numbers = Array.from({ length: 100_000 }, () => 'x');
    expect(check({ items: { anyOf: [{ type: 'integer' }, { type: 'null' }] } }, numbers)).toHaveLength(
      maxReportedFields,
    );
    const names = Object.fromEntries(numbers.map((_, nth) => [`n${nth}`, nth]));
    expect(check({ additionalProperties: false }, names)).toHaveLength(maxReportedFields);
  });

  it('checks each choice independently of the errors of other choices', () => {
    const many = Array.from({ length: 50 }, () => 'x');
    const numbers = { items: { type: 'integer' } };
    expect(check({ anyOf: [numbers, { maxItems: 1 }] }, many)).not.toEqual([]);
    expect(check({ anyOf: [numbers, { items: { type: 'string' } }] }, many)).toEqual([]);
    expect(check({ oneOf: [numbers, { items: { type: 'string' } }, { type: 'object' }] }, many)).toEqual([]);
  });

  it('throws at the step budget for choices that refer to themselves', () => {
    const step = { properties: { a: { $ref: '#' } }, required: ['b'] };
    const rules = { anyOf: [step, { ...step, maxProperties: 9 }] };
    const deep = Array.from({ length: 30 }).reduce<JsonObject>((inner) => ({ a: inner }), {});
    expect(() => check(rules, deep)).toThrow(BudgetExceeded);
    expect(() => check({ $ref: '#' }, 1)).toThrow(BudgetExceeded);
  });

  it.each([
    { $ref: 'https://elsewhere.example/schema' },
    { $ref: '#/$defs/missing' },
    { type: 'nothing' },
    { items: { $id: 'https://elsewhere.example/schema' } },
    { pattern: '(' },
    { pattern: '^(?=a)' },
    { unevaluatedProperties: false },
    { properties: [] },
    { minLength: -1 },
  ] as JsonObject[])('rejects a malformed or unsupported schema (%j)', (rules) => {
    expect(parseSupportedSchema(rules)).toBeNull();
  });
});
