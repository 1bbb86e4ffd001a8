import fc from 'fast-check';
import {
  buildSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  type GraphQLObjectType,
  isLeafType,
  isObjectType,
} from 'graphql';
import { readFileSync } from 'node:fs';
import { damaged, jsonValue, longList, times } from './foreign-text.js';

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

const anyDocument = fc.oneof(
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
  times.map((count) => `{ ${'mee '.repeat(Math.min(count, 50_000))} }`),
  times.map((count) => `{ tasks(${'firs: 1 '.repeat(Math.min(count, 50_000))}) { nodes { idd } } }`),
);

/** Hostile documents that try to overload the server, up to the size limit of a body. */
export const graphqlDocument = anyDocument.map((text) => text.slice(0, 900_000));

const fields = [schema.getQueryType()!, schema.getMutationType()!]
  .flatMap((type) => Object.values(type.getFields()).map((field) => ({ operation: type.name.toLowerCase(), field })))
  .filter(({ field }) => field.args.length);
/** Names that an error message could suggest. */
const knownNames = Object.values(schema.getTypeMap()).flatMap((type) => {
  if (isEnumType(type)) return type.getValues().map(({ name }) => name);
  return isInputObjectType(type) ? Object.keys(type.getFields()) : [];
});
const nearName = damaged(fc.constantFrom(...knownNames));
const variable = fc.oneof(
  jsonValue,
  nearName,
  longList,
  fc.dictionary(nearName, jsonValue, { maxKeys: 20 }),
  fc
    .tuple(nearName, times)
    .map(([name, count]) => Array<string>(Math.min(count, Math.ceil(900_000 / (name.length + 1)))).fill(name)),
);

/** A field of the schema with invalid variables. `$never` has no value, so that no mutation is executed. */
export const graphqlVariables = fc
  .tuple(fc.constantFrom(...fields), fc.array(variable, { minLength: 1, maxLength: 4 }))
  .map(([{ operation, field }, values]) => {
    const declared = field.args.map(({ name, type }) => `$${name}: ${String(type)}`).join(', ');
    const given = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
    const isLeaf = isLeafType(getNamedType(field.type));
    return {
      query: `${operation} (${declared}, $never: Int!) { ${field.name}(${given}) ${isLeaf ? '' : '{ __typename }'} }`,
      variables: Object.fromEntries(field.args.map(({ name }, nth) => [name, values[nth % values.length]])),
    };
  });
