import { afterAll, beforeAll, expect, it } from 'vitest';
import { KnowledgeFixture } from './kit/knowledge-fixture.js';
import { anOrganization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;

beforeAll(async () => {
  // no jobs run here, as in the first second after a connection is created
  server = await testServer({ ROLE: 'web' });
});
afterAll(() => server.close());

it('finds a pushed document as soon as it is accepted, also if its connection is new', async () => {
  const lark = await anOrganization(server);
  const knowledge = new KnowledgeFixture(server, lark, await lark.as());
  const { slug } = await knowledge.connect({ kind: 'documents', slug: 'wiki' });
  const { data } = await knowledge.request(
    'mutation { createTenantKey(input: { name: "wiki", scopes: [documents] }) { key } }',
  );
  const answer = await fetch(`${server.url}/ingest/documents/${slug}/parking`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${data.createTenantKey.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'Parking', content: 'Bicycles stand in the yard.' }),
  });
  expect(answer.status).toBe(201);
  const found = await knowledge.request(
    '{ searchKnowledge(input: { query: "bicycles" }) { sources documents passages { title } } }',
  );
  expect(found.data.searchKnowledge).toEqual({ sources: 1, documents: 1, passages: [{ title: 'Parking' }] });
});
