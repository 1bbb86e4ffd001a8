import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  buildSchema,
  getNamedType,
  getNullableType,
  type GraphQLField,
  type GraphQLObjectType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';
import { copyRows } from './kit/copy-rows.js';
import { type PopulatedOrganization, populateOrganization } from './kit/populated-organization.js';
import type { GraphqlRequest } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';
import { countStatements } from './kit/count-statements.js';
import { OidcProvider } from './kit/oidc-provider.js';
import { Workplace } from './kit/workplace.js';

/*
 * For each field of each list, and the fields below it, the number of statements must not grow with the number of rows.
 * A new field that queries the database once per row fails here.
 */

type Fields = GraphQLField<unknown, unknown>[];

const rows = 100;
/**
 * Statements of one request: its credential, and transactions with their settings. One query per row would be three
 * hundred.
 */
const mostStatements = 60;
/** The same with nested lists: a few thousand rows, in batches of a hundred. */
const mostBelow = 150;
const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
const fieldsOf = (type: GraphQLObjectType): Fields =>
  Object.values(type.getFields()).filter(({ args }) => !args.some(isRequiredArgument));
const leavesOf = (type: GraphQLObjectType): string[] =>
  fieldsOf(type).flatMap(({ name, type: of }) => (isLeafType(getNamedType(of)) ? [name] : []));
const objectsOf = (type: GraphQLObjectType) =>
  fieldsOf(type).flatMap((field) => {
    const of = getNamedType(field.type);
    return isObjectType(of) ? [{ field, type: of }] : [];
  });

/** The row type of a page or list. */
function rowsOf({ type }: Fields[number]): { row: GraphQLObjectType; isPage: boolean } | undefined {
  const named = getNamedType(type);
  if (!isObjectType(named)) return undefined;
  if (isListType(getNullableType(type))) return { row: named, isPage: false };
  const nodes = named.getFields().nodes as Fields[number] | undefined;
  return nodes && { row: getNamedType(nodes.type) as GraphQLObjectType, isPage: true };
}

/** Selections of a row: its leaf fields, then the leaf fields of each nested object, up to two levels deep. */
function* selections(type: GraphQLObjectType, path: string[] = []): Generator<{ path: string; text: string }> {
  const wrap = (text: string) => path.reduceRight((inner, name) => `${name} { ${inner} }`, text);
  const leaves = leavesOf(type);
  if (leaves.length) yield { path: path.join('.') || '(leaves)', text: wrap(leaves.join(' ')) };
  if (path.filter((name) => !name.startsWith('nodes')).length >= 2) return;
  for (const { field, type: of } of objectsOf(type)) {
    const page = of.getFields().nodes && field.args.some(({ name }) => name === 'first');
    if (path.some((name) => name.split('(')[0] === field.name)) continue;
    yield* page
      ? selections(getNamedType(of.getFields().nodes.type) as GraphQLObjectType, [
          ...path,
          `${field.name}(first: 1)`,
          'nodes',
        ])
      : selections(of, [...path, field.name]);
  }
}

const lists = fieldsOf(schema.getQueryType()!).flatMap((field) => {
  const found = rowsOf(field);
  return found ? [{ name: field.name, ...found }] : [];
});

let server: TestServer;
let workplace: Workplace;
let upstream: OidcProvider;
let furnished: PopulatedOrganization;
let admin: GraphqlRequest;
let http: Server;
const measured = new Map<string, number>();

beforeAll(async () => {
  [server, workplace, upstream] = await Promise.all([testServer(), Workplace.start(), OidcProvider.start()]);
  http = server.app.getHttpServer() as Server;
  furnished = await populateOrganization(server, workplace, upstream.issuer);
  const { organization } = furnished.fixture;
  const refused = await copyRows(server.databaseUrl, organization.tenant.id, rows);
  if (process.env.TEST_LOG) console.log(refused);
  admin = await organization.as();
});
afterAll(async () => {
  await Promise.all([workplace.stop(), upstream.close()]);
  await server.close();
});

it.each(lists)('$name reads all rows together', async ({ name, row, isPage }) => {
  const tooMany: string[] = [];
  for (const { path, text } of selections(row)) {
    const queryOf = (first: number) =>
      isPage ? `{ ${name}(first: ${first}) { nodes { ${text} } } }` : `{ ${name} { ${text} } }`;
    let query = queryOf(rows);
    let answer: Awaited<ReturnType<GraphqlRequest>> | undefined;
    const count = () => countStatements(http, async () => (answer = await admin(query)));
    let statements = await count();
    if (isPage && /has more than \d+ fields/.test(answer!.errors?.[0].message ?? '')) {
      query = queryOf(rows / 2);
      statements = await count();
    }
    if (!answer!.data) {
      if (!/costs|in itself|individual usage/.test(answer!.errors?.[0].message ?? ''))
        throw new Error(`${query}: ${JSON.stringify(answer!.errors?.[0])}`);
      continue;
    }
    if (isPage && path === '(leaves)')
      measured.set(name, (answer!.data as Record<string, { nodes: unknown[] }>)[name].nodes.length);
    if (statements > (path.includes('.') ? mostBelow : mostStatements)) tooMany.push(`${path}: ${statements}`);
  }
  expect(tooMany).toEqual([]);
});

it('has measured long lists', () => {
  const long = [...measured].filter(([, length]) => length >= rows).map(([name]) => name);
  expect(long).toEqual(
    expect.arrayContaining([
      'approvals',
      'configurations',
      'connections',
      'estateFiles',
      'estateServers',
      'oauthClients',
      'spendIdentities',
      'spendPeople',
      'tasks',
      'toolCalls',
    ]),
  );
});
