import { checkParseSchema } from '@cedar-policy/cedar-wasm/nodejs';
import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { leastCpuMsOf } from '../../test/kit/cpu-time.js';
import type { JsonValue } from '../platform/json/strict-json.js';
import { argumentShape, type Shape } from './argument-shape.js';
import { cedarSchema } from './cedar-schema.js';

const written = (shape: Shape): unknown => {
  if (shape.kind === 'set') return [written(shape.element)];
  if (shape.kind !== 'record') return shape.kind === 'string' && shape.values ? shape.values.join('|') : shape.kind;
  return Object.fromEntries(
    [...shape.attributes].map(([name, { shape: inner, required }]) => [required ? name : `${name}?`, written(inner)]),
  );
};
const of = (schema: JsonValue) => {
  const { record, unusable } = argumentShape(schema);
  return {
    shape: written(record),
    unusable: Object.fromEntries(unusable.map(({ path, reason }) => [path.join('.'), reason])),
  };
};
/** The shape of one property. */
const property = (schema: JsonValue, more: object = {}) => {
  const { shape, unusable } = of({ type: 'object', properties: { p: schema }, required: ['p'], ...more });
  return Object.entries(shape as object)[0] ?? unusable.p;
};

describe('argumentShape', () => {
  it.each<[JsonValue, unknown]>([
    [{ type: 'integer' }, ['p', 'long']],
    [{ type: 'number' }, ['p', 'decimal']],
    [{ type: ['integer', 'number'] }, ['p', 'decimal']],
    [{ type: 'string', format: 'date-time' }, ['p', 'string']],
    [{ type: 'boolean' }, ['p', 'boolean']],
    [{ enum: ['low', 'high'] }, ['p', 'low|high']],
    [{ type: 'string', enum: ['low', 'high', null] }, ['p', 'low|high']],
    [{ type: ['string', 'null'], enum: ['low', null] }, ['p?', 'low']],
    [{ enum: [1, 2] }, ['p', 'long']],
    [{ enum: [1, 2.5] }, ['p', 'decimal']],
    [{ const: 'x' }, ['p', 'x']],
    [{ type: ['string', 'null'] }, ['p?', 'string']],
    [{ type: 'string', nullable: true }, ['p?', 'string']],
    [{ anyOf: [{ type: 'string' }, { type: 'null' }] }, ['p?', 'string']],
    [{ oneOf: [{ const: 'a', title: 'A' }, { const: 'b' }] }, ['p', 'a|b']],
    [{ anyOf: [{ type: 'integer' }, { type: 'number' }] }, ['p', 'decimal']],
    [{ allOf: [{ type: 'number' }, { type: 'integer', minimum: 1 }] }, ['p', 'long']],
    [{ allOf: [{ enum: ['a', 'b'] }, { enum: ['b', 'c'] }] }, ['p', 'b']],
    [{ type: 'array', items: { type: 'string' } }, ['p', ['string']]],
    [{ items: { type: 'string' } }, ['p?', ['string']]],
    [{ type: 'object', properties: { x: { type: 'string' } }, required: ['x'] }, ['p', { x: 'string' }]],
    [{ type: 'object', additionalProperties: false }, ['p', {}]],
    [{ type: 'array', items: { type: 'object', properties: { id: { type: 'integer' } } } }, ['p', [{ 'id?': 'long' }]]],
    [{}, 'may be anything'],
    [true, 'may be anything'],
    [false, 'accepts no value'],
    [{ type: 'null' }, 'is always null'],
    [{ type: ['string', 'integer'] }, 'may be string or integer'],
    [{ anyOf: [{ type: 'string' }, { type: 'integer' }] }, 'may be string or integer'],
    [{ enum: ['a', 1] }, 'lists values of several types'],
    [{ type: 'object' }, 'is an object with arbitrary keys'],
    [{ type: 'object', additionalProperties: { type: 'string' } }, 'is an object with arbitrary keys'],
    [{ type: 'array' }, 'has items that cannot be compared: an item may be anything'],
    [{ type: 'array', items: { type: ['string', 'null'] } }, 'has items that may be null'],
    [
      { type: 'array', items: { type: 'object', properties: { a: {} } } },
      'has items that cannot be compared: a may be anything',
    ],
    [{ type: 'array', prefixItems: [{ type: 'string' }] }, 'is a tuple'],
    [{ type: 'array', items: [{ type: 'string' }] }, 'is a tuple'],
    [{ type: 'money' }, 'has the unknown type "money"'],
    [{ allOf: [{ type: 'string' }, { type: 'boolean' }] }, 'contradicts itself'],
    [
      { $ref: 'https://example.com/other.json' },
      'refers to "https://example.com/other.json", which is not in this schema',
    ],
    [{ $ref: '#/nowhere' }, 'refers to "#/nowhere", which is not in this schema'],
    [{ $ref: '#/%zz' }, 'refers to "#/%zz", which is not in this schema'],
  ])('reads %j', (schema, expected) => {
    expect(property(schema)).toEqual(expected);
  });

  it('follows references within the document and merges their sibling keywords', () => {
    const defs = {
      'a/b c': { type: 'string', enum: ['x'] },
      tree: {
        type: 'object',
        properties: { kids: { type: 'array', items: { $ref: '#/$defs/tree' } }, n: { type: 'integer' } },
      },
    };
    expect(property({ $ref: '#/$defs/a~1b%20c', description: 'beside it' }, { $defs: defs })).toEqual(['p', 'x']);
    expect(of({ type: 'object', properties: { t: { $ref: '#/$defs/tree' } }, $defs: defs })).toEqual({
      shape: { 't?': { 'n?': 'long' } },
      unusable: { 't.kids': 'has items that cannot be compared: an item refers to itself' },
    });
  });

  it('merges all branches of allOf', () => {
    expect(
      of({
        type: 'object',
        properties: { a: { type: 'string' } },
        allOf: [
          { properties: { b: { type: 'integer' } }, required: ['b'] },
          { required: ['a'] },
          { properties: { a: { enum: ['x'] } } },
        ],
      }),
    ).toEqual({ shape: { a: 'x', b: 'long' }, unusable: {} });
  });

  it('keeps only what every alternative of oneOf or anyOf guarantees', () => {
    expect(
      of({
        type: 'object',
        properties: { kind: { type: 'string' } },
        required: ['kind'],
        oneOf: [
          { properties: { kind: { const: 'a' }, n: { type: 'integer' }, m: { type: 'string' } }, required: ['n', 'm'] },
          { properties: { kind: { const: 'b' }, n: { type: 'number' }, m: { type: 'boolean' } }, required: ['n'] },
        ],
      }),
    ).toEqual({ shape: { kind: 'a|b', n: 'decimal' }, unusable: { m: 'may be string or boolean' } });
    expect(
      of({
        type: 'object',
        properties: { a: { type: 'string' }, b: { type: 'string' } },
        anyOf: [{ required: ['a'] }, { required: ['b'] }],
      }),
    ).toEqual({
      shape: { 'a?': 'string', 'b?': 'string' },
      unusable: {},
    });
  });

  it('excludes names with a special meaning in Cedar or JavaScript from conditions', () => {
    const schema = JSON.parse(
      '{"type":"object","properties":{"__proto__":{"type":"string"},"__extn":{"type":"string"},"constructor":{"type":"string"},"":{"type":"string"},"in":{"type":"string"}}}',
    ) as JsonValue;
    expect(of(schema)).toEqual({
      shape: { 'constructor?': 'string', '?': 'string', 'in?': 'string' },
      unusable: { ['__proto__']: 'has a reserved name', __extn: 'has a reserved name' },
    });
  });

  it('terminates on schemas that expand without limit', () => {
    const $defs = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [
        `d${n}`,
        { allOf: [{ $ref: `#/$defs/d${n + 1}` }, { $ref: `#/$defs/d${n + 1}` }] },
      ]),
    );
    expect(property({ $ref: '#/$defs/d0' }, { $defs })).toBe('has a schema that is too large');
    let deep: JsonValue = { type: 'string' };
    for (let level = 0; level < 1000; level++) deep = { type: 'object', properties: { x: deep } };
    expect(Object.values(of(deep).unusable)).toEqual(['has a schema that is too large']);
  });

  it('produces a schema that Cedar accepts, whatever an upstream declares', () => {
    const name = fc.oneof(
      fc.constantFrom('type', 'in', 'has', '', '__entity', '__proto__', 'a b', 'ü'),
      fc.string({ maxLength: 5 }),
    );
    const schema = fc.letrec<{ schema: JsonValue }>((tie) => ({
      schema: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<JsonValue>(
          true,
          false,
          {},
          'rubbish',
          null,
          { type: 'integer' },
          { type: 'number' },
          { type: ['string', 'null'] },
          { enum: ['a', null] },
          { type: 7 },
          { required: 'x' },
        ),
        fc.record(
          {
            type: fc.constantFrom('object', 'array'),
            properties: fc.dictionary(name, tie('schema'), { maxKeys: 4, noNullPrototype: true }),
            items: tie('schema'),
            required: fc.array(name),
          },
          { requiredKeys: [] },
        ),
        fc.record(
          {
            allOf: fc.array(tie('schema'), { maxLength: 3 }),
            anyOf: fc.array(tie('schema'), { maxLength: 3 }),
            $ref: fc.constantFrom('#', '#/properties/a', '#x'),
          },
          { requiredKeys: [] },
        ),
      ),
    })).schema;
    fc.assert(
      fc.property(schema, (inputSchema) => {
        const { record } = argumentShape(inputSchema);
        expect(checkParseSchema(cedarSchema([{ name: 'a__b', effect: 'write', record }]))).toEqual({ type: 'success' });
      }),
      { numRuns: 300 },
    );
  });
});

describe('a schema of 64 KiB that references multiply', () => {
  const names = (count: number) => Array.from({ length: count }, (_, number) => number.toString(36));
  const referred = (count: number) => Array.from({ length: count }, () => ({ $ref: '#/$defs/e' }));
  const strings = (count: number) => Object.fromEntries(names(count).map((name) => [name, { type: 'string' }]));

  it.each<[string, JsonValue, JsonValue]>([
    ['allOf with one list of values', { enum: names(6000) }, { allOf: referred(1000) }],
    ['anyOf with one list of values', { enum: names(6000) }, { anyOf: referred(1000) }],
    [
      'anyOf with one list of required names',
      { type: 'object', required: names(6000), properties: {} },
      { anyOf: referred(1000) },
    ],
    ['allOf with one object', { type: 'object', properties: strings(900) }, { allOf: referred(1000) }],
    ['anyOf with one object', { type: 'object', properties: strings(900) }, { anyOf: referred(1000) }],
    [
      'objects with one list of values',
      { enum: names(6000) },
      { type: 'object', properties: Object.fromEntries(names(900).map((name) => [name, referred(1)[0]])) },
    ],
    ['allOf with one list of types', { type: Array<string>(5000).fill('integer') }, { allOf: referred(1000) }],
    [
      'allOf with one list without names',
      { type: 'object', required: Array<number>(25_000).fill(1), properties: {} },
      { allOf: referred(600) },
    ],
  ])('is read within the time limit: %s', async (_, e, a) => {
    const read = () => argumentShape({ type: 'object', $defs: { e }, properties: { a } });
    expect(await leastCpuMsOf(read)).toBeLessThan(250);
  });

  it('treats a long list of values as arbitrary text', () => {
    expect(property({ enum: names(501) })).toEqual(['p', 'string']);
    expect(property({ allOf: [{ enum: ['a', 'b', 'c'] }, { enum: ['b', 'c', 'd'] }] })).toEqual(['p', 'b|c']);
  });
});
