import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { getIntrospectionQuery, parse } from 'graphql';
import { Problem } from '../errors/problem.js';
import { usesIntrospection, documentLimits, QueryCostMeter, parseWithinLimits, enforceQueryLimits } from './limits.js';

const nested = (levels: number) => Array.from({ length: levels }, (_, i) => `a${i} { `).join('');
const times = (count: number, text: (index: number) => string) =>
  Array.from({ length: count }, (_, i) => text(i)).join(' ');
const check =
  (text: string, variables: Record<string, unknown> = {}) =>
  () =>
    enforceQueryLimits(parseWithinLimits(text), variables);

describe('the limits of a GraphQL document', () => {
  it('allow one mutation field, directly or in a fragment', () => {
    expect(check('mutation { a }')).not.toThrow();
    expect(check('mutation { ...F } fragment F on Mutation { a }')).not.toThrow();
  });

  it.each([
    'mutation { a b }',
    'mutation { ...F } fragment F on Mutation { a b }',
    'mutation { a ... on Mutation { b } }',
    'mutation { x: a y: a }',
    'mutation One { a } mutation Two { b c }',
  ])('reject two mutation fields: %s', (text) => expect(check(text)).toThrow('One mutation field'));

  it('multiply the cost of a page by its size', () => {
    const query = 'query ($n: Int) { a(first: $n) { nodes { b c d e f g } } }';
    expect(check(query, { n: 200 })).not.toThrow();
    const many = `query ($n: Int) { ${times(10, (i) => `x${i}: a(first: $n) { nodes { b c d e f g } }`)} }`;
    expect(check(many, { n: 10 })).not.toThrow();
    expect(check(many, { n: 200 })).toThrow('costs');
    expect(check(many.replace('$n: Int', '$n: Int = 200'))).toThrow('costs');
  });

  it('count a long argument for each use, and for each row of a page', () => {
    const used = (count: number) => `query ($v: T) { ${times(count, (i) => `x${i}: a(in: { b: [$v] })`)} }`;
    const v = 'x'.repeat(1_000_000);
    expect(check(used(1), { v })).not.toThrow();
    expect(check(used(2), { v })).toThrow('costs');
    expect(check(used(2), { v: { nested: [v] } })).toThrow('costs');
    expect(check(used(50), { v: 'x'.repeat(1000) })).not.toThrow();
    expect(check('query ($v: T) { a(first: 200) { nodes { b(after: $v) } } }', { v: v.slice(0, 100_000) })).toThrow(
      'costs',
    );
    expect(check(`query ($v: T = "${'x'.repeat(45_000)}") { ${used(50).slice(15)}`)).toThrow('costs');
    const spread = times(50, (i) => `x${i}: a { ...F }`);
    expect(check(`query ($v: T) { ${spread} } fragment F on A { b(c: $v) }`, { v: v.slice(0, 50_000) })).toThrow(
      'costs',
    );
  });

  it('scale the cost of arguments with the body limit', () => {
    const variables = { v: 'x'.repeat(8_000_000) };
    const document = parseWithinLimits('query ($v: T) { a(b: $v) { c } }');
    expect(() => enforceQueryLimits(document, variables)).toThrow('costs');
    expect(() => enforceQueryLimits(document, variables, { bodyBytes: 8 * 1024 * 1024 })).not.toThrow();
  });

  it('reject documents that are too deep, also through fragments', () => {
    const deep = (levels: number) => `{ ${nested(levels)} b ${'}'.repeat(levels)} }`;
    expect(check(deep(9))).not.toThrow();
    expect(check(deep(10))).toThrow('levels deep');
    expect(check('{ a { b { c { ...F } } } } fragment F on T { d { e { f { g { h { i { j { k } } } } } } } }')).toThrow(
      'levels deep',
    );
  });

  it.each([
    '{ a { nodes { b { b { c } } } } }',
    '{ a { b { nodes { a { c } } } } }',
    '{ a { ...F } } fragment F on T { b { ...G } } fragment G on T { a { c } }',
    '{ a { ...F } } fragment F on T { b { ...F } }',
  ])('reject a field nested in itself: %s', (text) => expect(check(text)).toThrow(/nests the field "\w" in itself/));

  it('allow a repeated field on one level, and pages within pages', () => {
    expect(check('{ a { b { c } d { b { c } } a } e { nodes { f(first: 1) { nodes { a { c } } } } } }')).not.toThrow();
  });

  it('apply to unused definitions', () => {
    const wide = `{ ${times(1001, (i) => `b${i}`)} }`;
    expect(check(`{ a } fragment F on Query ${wide}`)).toThrow('costs');
    expect(check(`query One { a } query Two ${wide}`)).toThrow('costs');
  });

  it('reject many fields of one name, which validation compares pairwise', () => {
    expect(check(`{ ${times(20, () => 'a { b }')} }`)).not.toThrow();
    expect(check(`{ ${times(21, () => 'a { b }')} }`)).toThrow('names "a" 21 times');
    // 5 × 5 nested fields form a group of 25
    expect(check(`{ ${times(5, () => `a { ${times(5, () => 'b')} }`)} }`)).toThrow('names "b" 25 times');
    expect(check(`{ ${times(21, (i) => `...F${i}`)} } ${times(21, (i) => `fragment F${i} on Query { a }`)}`)).toThrow(
      'names "a" 21 times',
    );
  });

  it.each([
    ['aliases', `{ ${times(51, (i) => `x${i}: __typename`)} }`],
    ['aliases', `{ ...F } fragment F on Query { ${times(51, (i) => `x${i}: a`)} }`],
    ['directives', `{ a ${times(51, () => '@skip(if: false)')} }`],
    ['definitions', times(41, (i) => `query Q${i} { a }`)],
  ])('reject more %s than the limit', (name, text) => expect(check(text)).toThrow(new RegExp(`\\d ${name};`)));

  it.each([
    ['tokens', `{ ${times(2000, () => 'a')} }`],
    ['brackets', `{ a(x: ${'['.repeat(1900)}`],
    ['brackets', '{a'.repeat(900)],
    ['characters', `{ a } ${'#'.repeat(60_000)}`],
  ])('reject too many %s before parsing', (name, text) => expect(check(text)).toThrow(name));

  it('name the position of a syntax error', () => {
    expect(check('{ a ')).toThrow('Syntax Error');
  });
});

describe('introspection', () => {
  it('is within the limits in the form that tools send', () => {
    const options = {
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
    };
    expect(check(getIntrospectionQuery())).not.toThrow();
    expect(check(getIntrospectionQuery({ ...options, oneOf: true }))).not.toThrow();
  });

  it.each([
    ['levels deep', `{ __schema { types { ${'ofType { '.repeat(25)} name ${'}'.repeat(25)} } } }`],
    ['in itself', '{ __schema { types { fields { type { fields { name } } } } } }'],
    ['no aliases', '{ x: __schema { types { name } } }'],
    ['no aliases', '{ __schema { x: types { name } } }'],
    ['no aliases', '{ __schema { ...F } } fragment F on __Schema { x: types { name } }'],
    ['costs', `{ __schema { ${times(900, (i) => `a${i}`)} } a { ${times(101, (i) => `b${i}`)} } }`],
  ])('has limits: %s', (message, text) => expect(check(text)).toThrow(message));

  it.each([
    '{ __schema { types { name } } }',
    '{ __type(name: "Query") { name } }',
    '{ a: __schema { types { name } } }',
    '{ ...F } fragment F on Query { __schema { types { name } } }',
    '{ ... on Query { ... { __schema { types { name } } } } }',
    '{ a } fragment Unused on Query { __schema { types { name } } }',
    'query One { a } query Two { __schema { types { name } } }',
    'mutation { a { __schema { types { name } } } }',
    '{ __anythingElse }',
  ])('is detected at any position: %s', (text) => expect(usesIntrospection(parse(text))).toBe(true));

  it('does not include __typename', () => {
    expect(usesIntrospection(parse('{ __typename a { x: __typename } ...F } fragment F on Query { __typename }'))).toBe(
      false,
    );
  });
});

/** Documents with nested, repeated and mutually spread selections, up to the token limit. */
const name = fc.constantFrom('a', 'b', 'c', 'nodes', '__schema', 'ofType');
const { selection } = fc.letrec<{ selection: string }>((tie) => ({
  selection: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    name,
    fc.integer({ min: 0, max: 9 }).map((fragment) => `...F${fragment}`),
    fc.tuple(name, name).map(([alias, field]) => `${alias}: ${field}`),
    fc
      .tuple(name, fc.array(tie('selection'), { minLength: 1, maxLength: 4 }))
      .map(([field, inside]) => `${field} { ${inside.join(' ')} }`),
    fc.array(tie('selection'), { minLength: 1, maxLength: 4 }).map((inside) => `... { ${inside.join(' ')} }`),
  ),
}));
const selections = fc.array(selection, { minLength: 1, maxLength: 8 }).map((list) => `{ ${list.join(' ')} }`);
const documentText = fc
  .tuple(selections, fc.array(selections, { minLength: 2, maxLength: 10 }))
  .map(([operation, fragments]) => [operation, ...fragments.map((body, i) => `fragment F${i} on T ${body}`)].join(' '));

it('visits no more selections than the limit for any document', () => {
  fc.assert(
    fc.property(documentText, (text) => {
      const { visits } = measured(text);
      expect(visits).toBeLessThanOrEqual(documentLimits.visits + 1);
    }),
    { numRuns: 2000 },
  );
});

it.each([
  [
    'chained',
    `{ ...F0 } ${times(38, (i) => `fragment F${i} on T { ...F${i + 1} ...F${i + 1} }`)} fragment F38 on T { a }`,
  ],
  [
    'fanned out',
    `{ ...F0 } ${times(9, (i) => `fragment F${i} on T { ${times(9, (j) => `a${j} { ...F${i + 1} }`)} }`)} fragment F9 on T { a }`,
  ],
  ['wide', `{ ${times(1990, (i) => `a${i}`)} }`],
])('stops at the visit limit for %s fragments', (_, text) => {
  const { visits, isRefused } = measured(text);
  expect(isRefused).toBe(!text.includes('F38'));
  expect(visits).toBeLessThanOrEqual(documentLimits.visits + 1);
});

function measured(text: string): { visits: number; isRefused: boolean } {
  const document = parse(text);
  const meter = new QueryCostMeter(document);
  try {
    enforceQueryLimits(document, {}, { meter });
    return { visits: meter.visits, isRefused: false };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { visits: meter.visits, isRefused: true };
  }
}
