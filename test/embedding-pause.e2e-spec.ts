import { afterAll, beforeAll, expect, it } from 'vitest';
import pg from 'pg';
import { type EmbeddingSimulator, startEmbeddingSimulator } from '../examples/model-simulator/embeddings.ts';
import { ConnectorRegistry } from '../src/connections/connector-registry.service.js';
import type { SourceDocument } from '../src/connections/knowledge-source.port.js';
import { KnowledgeFixture } from './kit/knowledge-fixture.js';
import { anOrganization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let owner: pg.Client;
let simulator: EmbeddingSimulator;

beforeAll(async () => {
  server = await testServer();
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
  simulator = await startEmbeddingSimulator();
  server.app.get(ConnectorRegistry).register({
    id: 'many',
    title: 'Many',
    setUp: 'For tests.',
    fields: [],
    offers: ['knowledge'],
    verify: async () => ({ status: 'connected' }),
    async *documents(): AsyncGenerator<SourceDocument> {
      for (let number = 0; number < 40; number++) {
        const text = `The text of page ${number}.`;
        const externalId = `page ${number}`;
        yield { externalId, kind: 'doc', title: text, mediaType: 'text/plain', content: text, fingerprint: text };
      }
    },
  });
});
afterAll(async () => {
  await owner.end();
  await simulator.close();
  await server.close();
});

it.each(['pause', 'remove'])('sends no more passages after this action on the model: %s', async (action) => {
  const lark = await anOrganization(server);
  const knowledge = new KnowledgeFixture(server, lark, await lark.as());
  const { id } = await knowledge.connect({ kind: 'many', slug: 'many' });
  await knowledge.waitUntilComplete(id);
  simulator.limit({ inputs: 1 });
  const before = simulator.requests.length;
  // half a second between requests: all passages take much longer than the action
  const settings = { baseUrl: simulator.url, model: 'simulated', requestsPerMinute: 120 };
  const model = await knowledge.connect({ kind: 'embeddings', slug: 'meaning', settings });
  await expect
    .poll(() => simulator.requests.slice(before).filter(({ input }) => input.length === 1).length)
    .toBeGreaterThan(3);
  const { errors } = await knowledge.request(`mutation ($id: ID!) { ${action}Connection(input: { id: $id }) { id } }`, {
    id: model.id,
  });
  expect(errors).toBeUndefined();
  const sent = simulator.requests.length;
  const runningJobs = async () =>
    (
      await owner.query('select 1 from embedding_spaces where connection_id = $1 and running_until is not null', [
        model.id,
      ])
    ).rows.length;
  await expect.poll(runningJobs).toBe(0);
  // one request may have been on its way
  expect(simulator.requests.length - sent).toBeLessThanOrEqual(1);
});
