import { afterAll, beforeAll, expect, it } from 'vitest';
import { readFileSync, writeFileSync } from 'node:fs';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.close());

it('the committed GraphQL schema equals the served one (update with UPDATE_SCHEMA=1 npm test -- schema)', () => {
  const schema = `${printSchema(lexicographicSortSchema(server.app.get(GraphQLSchemaHost).schema))}\n`;
  if (process.env.UPDATE_SCHEMA) writeFileSync('schema.graphql', schema);
  expect(readFileSync('schema.graphql', 'utf8')).toBe(schema);
});
