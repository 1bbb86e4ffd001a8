import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../platform/json/strict-json.js';
import { readArguments } from './arguments.js';
import { argumentFaults, IsolatedCheckRequired } from './schema-check.js';

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
let definitions = 0;

/** Like the gate: repeats the check with the result of a worker if one is required. */
async function faults(inputSchema: object, value: object) {
  const tool = { definitionHash: `hash ${++definitions}`, inputSchema: inputSchema as JsonObject };
  const args = readArguments(JSON.stringify(value));
  try {
    return argumentFaults('tenant', tool, args);
  } catch (error) {
    if (!(error instanceof IsolatedCheckRequired)) throw error;
    return argumentFaults('tenant', tool, args, await error.run());
  }
}

describe('arguments validated against their schema', () => {
  it('pass unchanged, without added defaults', async () => {
    const value = { title: 'Leak' };
    expect(await faults(ticket, value)).toEqual([]);
    expect(value).toEqual({ title: 'Leak' });
  });

  it('are rejected with a pointer for each fault', async () => {
    expect(await faults(ticket, { 'a/b': 1, priority: 'x', count: '3' })).toEqual(
      expect.arrayContaining([
        { pointer: '/title', detail: 'is required' },
        { pointer: '/a~1b', detail: 'is not a property of this tool' },
        { pointer: '/priority', detail: 'must be equal to one of the allowed values: ["low","high"]' },
        { pointer: '/count', detail: 'must be integer' },
      ]),
    );
  });

  it('never fetch a reference outside the schema', async () => {
    const [fault] = await faults({ $ref: 'http://127.0.0.1:1/schema.json' }, {});
    expect(fault.detail).toContain('cannot be used');
    expect(
      await faults({ $defs: { t: { type: 'string' } }, properties: { a: { $ref: '#/$defs/t' } } }, { a: 1 }),
    ).toHaveLength(1);
  });

  it('are rejected if the schema is invalid', async () => {
    expect((await faults({ type: 'nothing' }, {}))[0].detail).toContain('cannot be used');
  });

  it('are validated in the dialect that the schema names', async () => {
    const items = { properties: { a: { items: [{ type: 'string' }], additionalItems: false } } };
    expect(
      await faults({ $schema: 'http://json-schema.org/draft-07/schema#', ...items }, { a: ['x', 'y'] }),
    ).toHaveLength(1);
    expect(
      await faults(
        {
          $schema: 'https://json-schema.org/draft/2020-12/schema',
          properties: { a: { prefixItems: [{ type: 'string' }], items: false } },
        },
        { a: ['x', 'y'] },
      ),
    ).toHaveLength(1);
  });

  it('are matched against patterns in linear time, or in a worker if a pattern does not support that', async () => {
    const schema = { properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    expect(await faults(schema, { a: 'aaa' })).toEqual([]);
    expect(await faults(schema, { a: `${'a'.repeat(60)}!` })).toEqual([
      { pointer: '/a', detail: 'must match pattern "^(a+)+$"' },
    ]);
    const ahead = { properties: { a: { type: 'string', pattern: '^(?=a)(a+)+$' } } };
    expect(await faults(ahead, { a: 'aaa' })).toEqual([]);
    expect(await faults(ahead, { a: `${'a'.repeat(60)}!` })).toEqual([
      { pointer: '', detail: 'checking the arguments against the schema of the tool takes too much time or memory' },
    ]);
  });

  it('are checked again if the completed check is for other arguments', async () => {
    const tool = { definitionHash: 'h', inputSchema: { unevaluatedProperties: false } };
    const needed = (value: object) => {
      const args = readArguments(JSON.stringify(value));
      return {
        args,
        check: new IsolatedCheckRequired({ tenantId: 'tenant', key: 'h', schema: tool.inputSchema }, args),
      };
    };
    const done = await needed({}).check.run();
    expect(argumentFaults('tenant', tool, needed({}).args, done)).toEqual([]);
    expect(() => argumentFaults('tenant', tool, needed({ a: 1 }).args, done)).toThrow(IsolatedCheckRequired);
    expect(() => argumentFaults('tenant', { ...tool, definitionHash: 'other' }, needed({}).args, done)).toThrow(
      IsolatedCheckRequired,
    );
  });

  it('are rejected when alternatives double with every level', async () => {
    const step = { properties: { a: { $ref: '#' } }, required: ['b'] };
    const schema = { anyOf: [step, { ...step, maxProperties: 9 }] };
    const deep = Array.from({ length: 30 }).reduce<object>((inner) => ({ a: inner }), {});
    expect((await faults(schema, deep))[0].detail).toContain('takes too much');
  });
});
