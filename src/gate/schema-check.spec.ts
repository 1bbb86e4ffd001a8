import { describe, expect, it } from 'vitest';
import { SchemaCheck } from './schema-check.js';

const ticket = {
  type: 'object',
  properties: {
    title: { type: 'string', maxLength: 10 },
    priority: { enum: ['low', 'high'] },
    count: { type: 'integer', default: 3 },
  },
  required: ['title'],
  additionalProperties: false,
};
const faults = (schema: Record<string, never> | object, value: object) =>
  new SchemaCheck().faults('h', schema as never, value as never);

describe('arguments by their schema', () => {
  it('pass as they are, without defaults put in', () => {
    const value = { title: 'Leak' };
    expect(faults(ticket, value)).toEqual([]);
    expect(value).toEqual({ title: 'Leak' });
  });

  it('are refused with a pointer for each fault', () => {
    expect(faults(ticket, { 'a/b': 1, priority: 'x', count: '3' })).toEqual(
      expect.arrayContaining([
        { pointer: '/title', detail: 'is required' },
        { pointer: '/a~1b', detail: 'is not a property of this tool' },
        { pointer: '/priority', detail: 'must be equal to one of the allowed values: ["low","high"]' },
        { pointer: '/count', detail: 'must be integer' },
      ]),
    );
  });

  it('reach nothing outside the schema', () => {
    const [fault] = faults({ $ref: 'http://127.0.0.1:1/schema.json' }, {});
    expect(fault.detail).toContain('cannot be used');
    expect(
      faults({ $defs: { t: { type: 'string' } }, properties: { a: { $ref: '#/$defs/t' } } }, { a: 1 }),
    ).toHaveLength(1);
  });

  it('are refused by a schema that is none', () => {
    expect(faults({ type: 'nothing' }, {})[0].detail).toContain('cannot be used');
  });

  it('follow the dialect that the schema names', () => {
    const items = { properties: { a: { items: [{ type: 'string' }], additionalItems: false } } };
    expect(faults({ $schema: 'http://json-schema.org/draft-07/schema#', ...items }, { a: ['x', 'y'] })).toHaveLength(1);
    expect(
      faults(
        {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          properties: { a: { prefixItems: [{ type: 'string' }], items: false } },
        },
        { a: ['x', 'y'] },
      ),
    ).toHaveLength(1);
  });

  it('are given up on where a pattern backtracks without end', () => {
    const schema = { properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    expect(faults(schema, { a: 'aaa' })).toEqual([]);
    expect(faults(schema, { a: `${'a'.repeat(60)}!` })).toEqual([
      { pointer: '', detail: 'the schema of the tool takes too long to check this' },
    ]);
  });

  it('are given up on where choices double with every level', () => {
    const step = { properties: { a: { $ref: '#' } }, required: ['b'] };
    const schema = { anyOf: [step, { ...step, maxProperties: 9 }] };
    const deep = Array.from({ length: 30 }).reduce<object>((inner) => ({ a: inner }), {});
    expect(faults(schema, deep)[0].detail).toContain('takes too long');
  });
});
