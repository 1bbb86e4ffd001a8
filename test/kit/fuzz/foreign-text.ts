import fc from 'fast-check';

/* Generators of what strangers send: mostly well-formed, sometimes hostile, now and then damaged. */

/** Pieces that are long, deep, repetitive, or special to some parser. */
const hostile = fc.oneof(
  fc
    .tuple(
      fc.constantFrom('a', ' ', '[', '{"a":', '(', '<b>', '$', '../', '\\', '"', '\u0000', '😀', '-', '='),
      fc.integer({ min: 1, max: 20_000 }),
    )
    .map(([piece, times]) => piece.repeat(Math.min(times, 60_000 / piece.length))),
  fc.constantFrom(
    '__proto__',
    'constructor',
    'toString',
    '9'.repeat(400),
    '1e999',
    '-0',
    '\ud800',
    '\u202e',
    '%00',
    '{{',
    '${',
    '"]}',
    'data:',
    'file:///etc/passwd',
  ),
  fc.string({ unit: 'binary', maxLength: 200 }),
);
export const word = fc.oneof({ weight: 6, arbitrary: fc.string({ maxLength: 30 }) }, { weight: 1, arbitrary: hostile });

/** Values of JSON, hostile ones among them. */
export const jsonValue: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, depthIdentifier: 'json' },
    word,
    fc.constantFrom(null, true, false, 0, -1, 1.5, 2 ** 53, 1e308),
    fc.array(tie('value'), { maxLength: 8, depthIdentifier: 'json' }),
    fc.dictionary(word, tie('value'), { maxKeys: 8, depthIdentifier: 'json' }),
  ),
})).value;

/** Deeper than any limit, or with very many members. */
const nested = fc
  .tuple(
    fc.constantFrom<[string, string]>(['[', ']'], ['{"a":', '}'], ['[{"a":', '}]']),
    fc.integer({ min: 1, max: 5000 }),
  )
  .map(([[open, close], depth]) => open.repeat(depth) + '1' + close.repeat(depth));
const wide = fc.integer({ min: 1, max: 20_000 }).map((count) => `[${'0,'.repeat(count)}0]`);
const duplicated = fc.integer({ min: 2, max: 5000 }).map((count) => `{${'"a":1,'.repeat(count)}"a":2}`);
export const jsonText = fc.oneof(
  { weight: 4, arbitrary: jsonValue.map((value) => JSON.stringify(value)) },
  { weight: 1, arbitrary: fc.oneof(nested, wide, duplicated) },
);

/** The text with a piece cut out, repeated or put in. */
export const damaged = (text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 3, arbitrary: text },
    {
      weight: 1,
      arbitrary: fc.tuple(text, fc.nat(), fc.nat(), hostile).map(([whole, from, length, piece]) => {
        const start = whole.length ? from % whole.length : 0;
        return whole.slice(0, start) + piece + whole.slice(start + (length % 100));
      }),
    },
  );

const type = fc.constantFrom('string', 'number', 'integer', 'boolean', 'object', 'array', 'null');
const pattern = fc.oneof(
  word,
  fc.constantFrom(
    '^(a+)+$',
    '(a|a)*b',
    '^(\\w+\\s?)*$',
    '(.*a){20}',
    '(?=a)b',
    '(?<x>a)\\k<x>',
    '\\p{L}+',
    '[',
    'a{1000000}',
    '(?:a?){50}a{50}',
  ),
);

/** JSON Schemas: sensible, recursive, combinatorial, wrong. */
export const jsonSchema: fc.Arbitrary<Record<string, unknown>> = fc.letrec<{ schema: Record<string, unknown> }>(
  (tie) => ({
    schema: fc.oneof(
      { maxDepth: 4, depthIdentifier: 'schema' },
      fc.record({ type }),
      fc.record(
        { type: fc.constant('string'), pattern, format: word, minLength: fc.integer() },
        { requiredKeys: ['type'] },
      ),
      fc.record({
        $ref: fc.constantFrom('#', '#/$defs/a', '#/properties/a', 'https://elsewhere.example/schema'),
      }),
      fc.record({ enum: fc.array(jsonValue, { maxLength: 20 }) }),
      fc.record(
        {
          type: fc.constant('object'),
          $id: word,
          properties: fc.dictionary(word, tie('schema'), { maxKeys: 6 }),
          patternProperties: fc.dictionary(pattern, tie('schema'), { maxKeys: 2 }),
          required: fc.array(word, { maxLength: 4 }),
          additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
          $defs: fc.record({ a: tie('schema') }),
        },
        { requiredKeys: ['type'] },
      ),
      fc.record(
        { type: fc.constant('array'), items: tie('schema'), uniqueItems: fc.boolean() },
        { requiredKeys: ['type'] },
      ),
      fc
        .tuple(fc.constantFrom('anyOf', 'oneOf', 'allOf'), fc.array(tie('schema'), { minLength: 1, maxLength: 12 }))
        .map(([name, of]) => ({ [name]: of })),
      fc.record({ not: tie('schema') }),
      fc.record({ if: tie('schema'), then: tie('schema'), else: tie('schema') }),
    ),
  }),
).schema as fc.Arbitrary<Record<string, unknown>>;

/** A recursive schema whose alternatives all match: the work doubles with each level of the value. */
export const explosiveSchema = fc.integer({ min: 2, max: 40 }).map((alternatives) => ({
  type: 'object',
  properties: { a: { anyOf: Array.from({ length: alternatives }, () => ({ $ref: '#' })) } },
  additionalProperties: {
    oneOf: [{ $ref: '#' }, { $ref: '#' }, { type: 'array', items: { $ref: '#' }, uniqueItems: true }],
  },
}));
