import fc from 'fast-check';

/* Generators of external input: mostly well-formed, sometimes hostile, occasionally damaged. */

/** A number of repetitions: a few, or occasionally as many as fit into a message. */
export const times = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 2000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 200_000 }) },
);
const repeated = (piece: string, count: number, most = 250_000) =>
  piece.repeat(Math.min(count, Math.max(1, most / piece.length)));

/** Text that is long, deeply nested, repetitive, or special to a parser. */
const hostile = fc.oneof(
  fc
    .tuple(
      fc.constantFrom(
        ...[
          'a',
          ' ',
          '[',
          '{"a":',
          '(',
          '<b>',
          '$',
          '../',
          '\\',
          '"',
          '\u0000',
          '😀',
          '-',
          '=',
          '~1',
          '\n',
          ', ',
          '"x",',
          '""',
        ],
        ...['/a', '[a](', '> ', '| ', '* ', 'Did you mean "', '„', '« '],
      ),
      times,
    )
    .map(([piece, count]) => repeated(piece, count)),
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

/** A list that repeats one value, usually of a wrong type. */
export const longList = fc
  .tuple(
    fc.constantFrom<unknown>(0, null, '', 'a', {}, [], { type: 'text' }, { type: 'x', text: 1 }, { name: {} }),
    times,
  )
  .map(([entry, count]) => Array<unknown>(count).fill(entry));
const excessive = fc.oneof(
  longList,
  times.map((count) => Object.fromEntries(Array.from({ length: count / 4 }, (_, n) => [`${n.toString(36)}k`, n]))),
  fc
    .tuple(times, times)
    .map(([length, count]) =>
      Object.fromEntries(Array.from({ length: (count % 20) + 1 }, (_, n) => [repeated('k', length, 20_000) + n, n])),
    ),
  fc.tuple(fc.boolean(), fc.integer({ min: 1, max: 1500 })).map(([isList, depth]) => {
    let value: unknown = 1;
    for (let level = 0; level < depth; level++) value = isList ? [value] : { a: value };
    return value;
  }),
);

/** JSON values, including hostile ones. */
const treeOfJson: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 6, depthIdentifier: 'json' },
    word,
    fc.constantFrom(null, true, false, 0, -1, 1.5, 2 ** 53, 1e308),
    fc.array(tie('value'), { maxLength: 8, depthIdentifier: 'json' }),
    fc.dictionary(word, tie('value'), { maxKeys: 8, depthIdentifier: 'json' }),
  ),
})).value;
export const jsonValue = fc.oneof({ weight: 9, arbitrary: treeOfJson }, { weight: 1, arbitrary: excessive });
/** A valid list, or a long list of other values. */
export const listOf = (list: fc.Arbitrary<unknown[]>) =>
  fc.oneof({ weight: 6, arbitrary: list }, { weight: 1, arbitrary: longList });

/** Words, quotes and punctuation that the built-in model reads as instructions. */
export const instruction = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        ...[
          'create ',
          'a ',
          'ticket ',
          'titled ',
          '"a" ',
          '"',
          "' ",
          '„',
          '« ',
          '\\” ',
          '#ops ',
          ',',
          ': ',
          '? ',
          '. ',
          'in ',
        ],
        ...[
          'project ',
          'with ',
          'and ',
          'please ',
          'can you ',
          'if ',
          'do not ',
          'title a ',
          'workplace__echo: {} ',
          '{',
          'echo ',
        ],
      ),
      fc.oneof({ weight: 5, arbitrary: fc.constant(1) }, { weight: 1, arbitrary: times }),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((pieces) => pieces.map(([piece, count]) => repeated(piece, count, 200_000)).join(''));

/** JSON text nested deeper than any limit, or with very many members. */
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

/** The text with a piece removed, repeated or inserted. */
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

/** JSON Schemas: realistic, recursive, combinatorial, invalid. */
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
      fc.record({ enum: listOf(fc.array(jsonValue, { maxLength: 20 })) }),
      fc.tuple(fc.constantFrom('/a', '/$defs/a', '/~1', '/0', '%25'), times).map(([step, count]) => ({
        $ref: `#${repeated(step, count, 60_000)}`,
      })),
      fc.record({ type: listOf(fc.array(type)), required: listOf(fc.array(word)) }),
      times.map((count) => ({
        $ref: '#/$defs/a0',
        $defs: Object.fromEntries(
          Array.from({ length: Math.min(count, 5000) }, (_, n) => [`a${n}`, { $ref: `#/$defs/a${n + 1}` }]),
        ),
      })),
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
