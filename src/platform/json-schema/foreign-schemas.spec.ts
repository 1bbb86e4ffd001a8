import { describe, expect, it } from 'vitest';
import { leastCpuMsOf } from '../../../test/kit/cpu-time.js';
import type { JsonObject, JsonValue } from '../json/strict-json.js';
import { checkForeignSchema, checkInline } from './foreign-schemas.js';

let schemas = 0;
const foreign = (schema: JsonObject, tenantId = 'one') => ({ tenantId, key: `schema ${++schemas}`, schema });
const check = (schema: JsonObject, value: JsonValue) => checkForeignSchema(foreign(schema), value);

const step = { properties: { a: { $ref: '#' } }, required: ['b'] };
const doubling = { anyOf: [step, { ...step, maxProperties: 9 }] };
const doubled = Array.from({ length: 40 }, (_, nth): [string, JsonObject] => {
  const next = { $ref: `#/$defs/d${nth + 1}` };
  return [`d${nth}`, { allOf: [next, next] }];
});
const deep = Array.from({ length: 40 }).reduce<JsonObject>((inner) => ({ a: inner }), {});

describe('a foreign schema', () => {
  it('is checked inline if it uses common keywords', () => {
    const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    expect(checkInline(foreign(schema), { n: 1 })).toEqual([]);
    expect(checkInline(foreign(schema), {})).toEqual([{ pointer: '/n', detail: 'is required' }]);
  });

  it('is checked by a worker if it uses other keywords', async () => {
    const schema = { properties: { a: true }, unevaluatedProperties: false };
    expect(checkInline(foreign(schema), { a: 1 })).toBeUndefined();
    expect(await check(schema, { a: 1 })).toEqual({ faults: [] });
    expect(await check(schema, { b: 1 })).toEqual({
      faults: [{ pointer: '/b', detail: 'is not a property of this tool' }],
    });
    const ahead = { properties: { a: { pattern: '^(?=.*[0-9])[a-z0-9]+$' } } };
    expect(await check(ahead, { a: 'a1' })).toEqual({ faults: [] });
    expect(await check(ahead, { a: 'a' })).toMatchObject({ faults: [{ pointer: '/a' }] });
  });

  it('is unusable if it is malformed or has an external reference', async () => {
    const schemas: JsonObject[] = [{ type: 'nothing' }, { $ref: 'http://127.0.0.1:1/schema.json' }, { pattern: '(' }];
    for (const schema of schemas) expect(await check(schema, 'x')).toMatchObject({ unusable: expect.any(String) });
  });

  it('is isolated from a schema of another tenant with the same key or id', async () => {
    const named = (type: string) => ({ items: { $id: 'https://upstream.example/item', type } });
    const reference = { items: { $ref: 'https://upstream.example/item' } };
    expect(await checkForeignSchema({ tenantId: 'one', key: 'k', schema: named('string') }, [1])).toMatchObject({
      faults: [{ detail: 'must be string' }],
    });
    expect(await checkForeignSchema({ tenantId: 'two', key: 'k', schema: named('integer') }, [1])).toEqual({
      faults: [],
    });
    expect(await checkForeignSchema(foreign(reference, 'two'), [1])).toMatchObject({ unusable: expect.any(String) });
  });

  it.each<[string, JsonObject, JsonValue]>([
    ['choices that refer to themselves', doubling, deep],
    ['a pattern that backtracks', { pattern: '^(?=a)(a+)+$' }, `${'a'.repeat(60)}!`],
    [
      'references that double',
      {
        $defs: Object.fromEntries([...doubled, ['d40', { type: 'string' }]]),
        $ref: '#/$defs/d0',
      },
      'x',
    ],
  ])('is aborted at the limits without blocking the server (%s)', async (_what, schema, value) => {
    let turns = 0;
    const ticking = setInterval(() => turns++, 5);
    const outcome = await check(schema, value);
    clearInterval(ticking);
    expect(outcome).toMatchObject({ exceeded: expect.stringMatching(/cpu-time|memory|crashed/) });
    expect(turns).toBeGreaterThan(5);
    expect(await check({ unevaluatedItems: true }, [])).toEqual({ faults: [] });
  });

  it.each<[string, JsonObject, JsonValue]>([
    ['a large pattern and a text of a million characters', { pattern: '^[a-z]{140}$' }, 'a'.repeat(1_000_000)],
    [
      'a thousand small patterns and many short names',
      { patternProperties: Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [n.toString(36), {}])) },
      Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [n.toString(36), 0])),
    ],
  ])('is not checked inline if the check takes long (%s)', (_what, schema, value) => {
    expect(checkInline(foreign(schema), value)).toBeUndefined();
  });

  it.each<[string, JsonObject, JsonValue]>([
    [
      'many patterns and many empty objects',
      {
        items: {
          patternProperties: Object.fromEntries(Array.from({ length: 2000 }, (_, n) => [n.toString(36), true])),
        },
      },
      Array.from({ length: 29_000 }, () => ({})),
    ],
    [
      'a long property name that is checked thousands of times',
      { allOf: Array.from({ length: 3000 }, () => ({ properties: {} })) },
      { ['~/'.repeat(250_000)]: 1 },
    ],
    [
      'a long value that is quoted thousands of times',
      { items: { not: { enum: ['x'.repeat(60_000)] } } },
      Array.from({ length: 9000 }, () => 'a'),
    ],
  ])('is passed to a worker before it blocks the event loop (%s)', async (_what, schema, value) => {
    const ms = await leastCpuMsOf(() => expect(checkInline(foreign(schema), value)).toBeUndefined());
    expect(ms).toBeLessThan(150);
  });

  it('reports a limited number of errors for a large value', async () => {
    const items: JsonObject = { anyOf: [{ type: 'integer' }, { not: {} }] };
    const schema: JsonObject = { type: 'object', properties: { list: { items } } };
    const list = Array.from({ length: 120_000 }, () => 'x');
    expect(((await check(schema, { list })) as { faults: object[] }).faults).toHaveLength(20);
    const closed = { ...schema, unevaluatedProperties: false };
    expect(((await check(closed, { list })) as { faults: object[] }).faults).toHaveLength(1);
  });
});
