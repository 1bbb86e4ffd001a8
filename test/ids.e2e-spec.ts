import { afterAll, beforeAll, expect, it } from 'vitest';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import {
  type GraphQLArgument,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
} from 'graphql';
import { anOrganization, type GraphqlResponse } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let execute: (query: string, variables?: object) => Promise<GraphqlResponse>;
beforeAll(async () => {
  server = await testServer();
  const organization = await anOrganization(server);
  execute = await organization.as(organization.admin);
});
afterAll(() => server.close());

const isId = (type: GraphQLInputType) => getNamedType(type).name === 'ID';
const holdsId = (type: GraphQLInputType): boolean => {
  const named = getNamedType(type);
  return (
    isId(named) || (isInputObjectType(named) && Object.values(named.getFields()).some((field) => holdsId(field.type)))
  );
};

/** A value of the type: every id in it is malformed, other required values are arbitrary. */
function valueOf(type: GraphQLInputType, malformed: string): unknown {
  const bare = getNullableType(type);
  if (isListType(bare)) return holdsId(bare) ? [valueOf(bare.ofType, malformed)] : [];
  if (isEnumType(bare)) return bare.getValues()[0].name;
  if (isInputObjectType(bare))
    return Object.fromEntries(
      Object.values(bare.getFields())
        .filter((field) => isNonNullType(field.type) || holdsId(field.type))
        .map((field) => [field.name, valueOf(field.type, malformed)]),
    );
  const plain: Record<string, unknown> = {
    ID: malformed,
    Int: 1,
    Float: 1,
    Boolean: true,
    JSON: {},
    DateTime: new Date(),
  };
  return plain[bare.name] ?? 'something';
}

function documentOf(operation: 'query' | 'mutation', name: string, args: readonly GraphQLArgument[], isLeaf: boolean) {
  const declared = args.map((arg) => `$${arg.name}: ${String(arg.type)}`).join(', ');
  const given = args.map((arg) => `${arg.name}: $${arg.name}`).join(', ');
  return `${operation} (${declared}) { ${name}(${given}) ${isLeaf ? '' : '{ __typename }'} }`;
}

it.each(['rubbish', '', '0', 'a\0b', '\u{d800}', "' or true --"])(
  'a malformed id (%j) is rejected in every argument and input',
  async (malformed) => {
    const { schema } = server.app.get(GraphQLSchemaHost);
    const tested: string[] = [];
    const wrong: unknown[] = [];
    for (const operation of ['query', 'mutation'] as const) {
      const root = operation === 'query' ? schema.getQueryType()! : schema.getMutationType()!;
      for (const field of Object.values(root.getFields()).filter(({ args }) =>
        args.some(({ type }) => holdsId(type)),
      )) {
        const args = field.args.filter(({ type }) => isNonNullType(type) || holdsId(type));
        const variables = Object.fromEntries(args.map(({ name, type }) => [name, valueOf(type, malformed)]));
        const isLeaf = isLeafType(getNamedType(field.type));
        const { code, errors } = await execute(documentOf(operation, field.name, args, isLeaf), variables);
        tested.push(field.name);
        if (code !== 'invalid-request' && !code?.endsWith('not-found')) wrong.push({ name: field.name, code, errors });
      }
    }
    expect(tested.length).toBeGreaterThan(40);
    expect(wrong).toEqual([]);
  },
);
