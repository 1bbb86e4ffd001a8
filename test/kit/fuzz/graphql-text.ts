import fc from 'fast-check';
import { buildSchema, getNamedType, type GraphQLObjectType, isLeafType, isObjectType } from 'graphql';
import { readFileSync } from 'node:fs';

const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
const introspection =
  '__schema { types { name fields { name args { name type { ofType { ofType { name } } } } type { fields { name } } } } }';

/** A selection of real fields, nested as deep as `depth`, with aliases and repetitions. */
function selection(type: GraphQLObjectType, depth: number, choose: () => number): string {
  const fields = Object.values(type.getFields()).filter(({ args }) =>
    args.every(({ type: given }) => !String(given).endsWith('!')),
  );
  const picked = Array.from({ length: 1 + (choose() % 6) }, () => fields[choose() % fields.length]).filter(Boolean);
  const texts = picked.map((field, nth) => {
    const named = getNamedType(field.type);
    const alias = choose() % 2 ? `a${nth}: ` : '';
    if (isLeafType(named)) return `${alias}${field.name}`;
    if (!isObjectType(named) || depth <= 0) return '__typename';
    return `${alias}${field.name} ${selection(named, depth - 1, choose)}`;
  });
  return `{ ${texts.join(' ') || '__typename'} }`;
}

const walk = fc.tuple(fc.infiniteStream(fc.nat()), fc.integer({ min: 0, max: 14 })).map(([stream, depth]) => {
  const numbers = stream[Symbol.iterator]();
  return selection(schema.getQueryType()!, depth, () => Number(numbers.next().value));
});
const times = fc.integer({ min: 1, max: 2000 });

/** Documents as strangers would write them to make a server work. */
export const graphqlDocument = fc.oneof(
  walk,
  times.map((count) => `{ ${Array.from({ length: count }, (_, n) => `a${n}: __typename`).join(' ')} }`),
  times.map(
    (count) =>
      `query { ...f } fragment f on Query { ${Array.from({ length: count }, (_, n) => `a${n}: ${introspection}`).join(' ')} }`,
  ),
  fc
    .integer({ min: 1, max: 18 })
    .map(
      (levels) =>
        `{ ...f0 } ${Array.from({ length: levels }, (_, n) => `fragment f${n} on Query { ...f${n + 1} ...f${n + 1} }`).join(' ')} fragment f${levels} on Query { __typename }`,
    ),
  fc.constant('{ ...a } fragment a on Query { ...b } fragment b on Query { ...a }'),
  times.map((count) => `{ me ${'{ me '.repeat(count)} ${'}'.repeat(count)} }`),
  times.map((count) => `{ me { id ${'id '.repeat(count)} ${'...on Me { id } '.repeat(count)} } }`),
  times.map((count) => `{ __typename ${'@skip(if: false) '.repeat(count)} }`),
  times.map(
    (count) => `query (${Array.from({ length: count }, (_, n) => `$v${n}: String`).join(', ')}) { __typename }`,
  ),
  times.map((count) => `{ __type(name: ${'['.repeat(count)}${']'.repeat(count)}) { name } }`),
  times.map((count) => `{ __type(name: "${'\\u0041'.repeat(count)}") { name } }`),
);
