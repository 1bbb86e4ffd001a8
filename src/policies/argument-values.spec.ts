import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import type { JsonObject, JsonValue } from '../platform/json/strict-json.js';
import { argumentShape } from './argument-shape.js';
import { argumentValues } from './argument-values.js';

const map = (properties: Record<string, JsonValue>, args: JsonObject, required: string[] = []) => {
  const { record, unmapped } = argumentValues(argumentShape({ type: 'object', properties, required }).record, args);
  return { record, unmapped: unmapped.map((path) => path.join('.')) };
};
const decimal = (arg: string) => ({ __extn: { fn: 'decimal', arg } });

describe('argumentValues', () => {
  it('maps every Cedar type', () => {
    const properties = {
      n: { type: 'integer' },
      x: { type: 'number' },
      s: { type: 'string' },
      b: { type: 'boolean' },
      tags: { type: 'array', items: { type: 'string' } },
      who: { type: 'object', properties: { id: { type: 'integer' } } },
    };
    expect(map(properties, { n: 9007199254740991, x: 1.5, s: '', b: false, tags: ['a', 'a'], who: { id: 1 } })).toEqual(
      {
        record: { n: 9007199254740991, x: decimal('1.5'), s: '', b: false, tags: ['a', 'a'], who: { id: 1 } },
        unmapped: [],
      },
    );
  });

  it.each([
    [0, '0.0'],
    [3, '3.0'],
    [-0.0001, '-0.0001'],
    [0.1 + 0.2, null],
    [1e-7, null],
    [12.34567, null],
    [922337203685476.5, '922337203685476.5'],
    [922337203685477.5, null],
    [1e21, null],
  ])('maps the number %p only if four decimal places represent it exactly', (x, arg) => {
    expect(map({ x: { type: 'number' } }, { x })).toEqual(
      arg ? { record: { x: decimal(arg) }, unmapped: [] } : { record: {}, unmapped: ['x'] },
    );
  });

  it('reports values that do not fit their type and coerces nothing', () => {
    const properties = {
      n: { type: 'integer' },
      s: { type: 'string' },
      b: { type: 'boolean' },
      tags: { type: 'array', items: { type: 'integer' } },
    };
    expect(map(properties, { n: 1.5, s: 7, b: 'true', tags: [1, '2'] })).toEqual({
      record: {},
      unmapped: ['n', 's', 'b', 'tags'],
    });
    expect(map(properties, { n: [], s: null, b: {}, tags: 'x' })).toEqual({ record: {}, unmapped: ['n', 'b', 'tags'] });
  });

  it('reports keys that are not in the schema, and values without a type', () => {
    const properties = { any: {}, inner: { type: 'object', properties: { a: { type: 'string' } } } };
    expect(map(properties, { any: 1, inner: { a: 'x', more: 1 }, constructor: 'x' })).toEqual({
      record: { inner: { a: 'x' } },
      unmapped: ['inner.more', 'any', 'constructor'],
    });
  });

  it('fills a required attribute without an exact value with a placeholder, so that other policies can be evaluated', () => {
    expect(map({ x: { type: 'number' }, s: { type: 'string' } }, { x: 0.12345, s: 'a' }, ['x', 's'])).toEqual({
      record: { x: decimal('0.0'), s: 'a' },
      unmapped: ['x'],
    });
  });

  it('reports everything that it omits', () => {
    const properties = {
      n: { type: 'integer' },
      x: { type: 'number' },
      o: { type: 'object', properties: { s: { type: 'string' } } },
    };
    const value = fc.letrec<{ value: JsonValue }>((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.constantFrom<JsonValue>(null, true, 'x', 1, 1.5, 0.00001),
        fc.dictionary(fc.constantFrom('s', 'n', 'z'), tie('value'), { noNullPrototype: true }),
      ),
    })).value;
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('n', 'x', 'o', 'q'), value, { noNullPrototype: true }), (args) => {
        const { record, unmapped } = map(properties, args);
        const back = (mapped: unknown): unknown => {
          if (typeof mapped !== 'object' || mapped === null) return mapped;
          if ('__extn' in mapped) return Number((mapped.__extn as { arg: string }).arg);
          return Object.fromEntries(Object.entries(mapped).map(([key, inner]) => [key, back(inner)]));
        };
        const withoutUnmapped = (object: JsonObject, at: string[]): JsonObject =>
          Object.fromEntries(
            Object.entries(object)
              .filter(([key, inner]) => inner !== null && !unmapped.includes([...at, key].join('.')))
              .map(([key, inner]) => [
                key,
                typeof inner === 'object' && inner && !Array.isArray(inner)
                  ? withoutUnmapped(inner, [...at, key])
                  : inner,
              ]),
          );
        expect(back(record)).toEqual(withoutUnmapped(args, []));
      }),
    );
  });
});
