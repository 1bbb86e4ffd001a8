import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { ModelsService } from '../src/connections/models.service.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { type GraphqlResponse, anOrganization, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let provider: http.Server;
let baseUrl: string;
let server: TestServer;
let lark: Organization;
let ask: (query: string, variables?: object) => Promise<GraphqlResponse>;

/** A model provider reduced to verification: a list of models for clients with a valid key. */
const models = (_req: http.IncomingMessage, res: http.ServerResponse) =>
  res.end(JSON.stringify({ object: 'list', data: [{ id: 'small-1' }, { id: 'large-2' }] }));
const isKnown = ({ headers }: http.IncomingMessage) =>
  headers.authorization === 'Bearer sk-good' ||
  (headers['x-api-key'] === 'sk-good' && headers['anthropic-version'] === '2023-06-01');
const refuse = (status: number) => (_req: http.IncomingMessage, res: http.ServerResponse) =>
  res.writeHead(status).end();
const routes: Record<string, http.RequestListener> = {
  '/v1/models': (req, res) => (isKnown(req) ? models(req, res) : refuse(401)(req, res)),
  '/open/models': models,
  '/page/models': (_req, res) => res.end('<html>welcome</html>'),
  '/busy/models': refuse(429),
  '/broken/models': refuse(502),
};

beforeAll(async () => {
  provider = http.createServer((req, res) => (routes[req.url ?? ''] ?? refuse(404))(req, res));
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  baseUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  server = await testServer({ MODEL_BASE_URL: `${baseUrl}/open/`, MODEL_API_KEY: 'sk-operator' });
  lark = await anOrganization(server);
  ask = await lark.as();
});
afterAll(async () => {
  await server.close();
  provider.close();
});

let count = 0;
async function create(settings: object = {}, apiKey: string | null = 'sk-good') {
  const input = {
    kind: 'model',
    name: 'Model',
    slug: `model-${++count}`,
    settings: { provider: 'openai-compatible', baseUrl: `${baseUrl}/v1`, model: 'small-1', ...settings },
    ...(apiKey && { secrets: { apiKey } }),
  };
  const answer = await ask(
    'mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { id revision status statusReason credentials tools { name } } }',
    { input },
  );
  return answer.data?.createConnection ?? answer;
}

describe('a language model', () => {
  it('is verified by its list of models', async () => {
    await expect(create()).resolves.toMatchObject({
      status: 'connected',
      statusReason: null,
      credentials: ['apiKey'],
      tools: [],
    });
    await expect(create({ provider: 'anthropic' })).resolves.toMatchObject({ status: 'connected' });
    await expect(create({ provider: 'local', baseUrl: `${baseUrl}/open` }, null)).resolves.toMatchObject({
      status: 'connected',
    });
  });

  it.each<[string, object, string | null, string, RegExp]>([
    ['a wrong key', {}, 'sk-bad', 'failed', /rejected the API key \(401\)/],
    ['no key', {}, null, 'failed', /API key is missing/],
    ['another name', { model: 'huge-9' }, 'sk-good', 'limited', /does not list the model "huge-9".*small-1, large-2/],
    ['a wrong path', { baseUrl: '/nowhere' }, 'sk-good', 'limited', /404.*such as \/v1/],
    ['a web page', { baseUrl: '/page' }, 'sk-good', 'failed', /not a model API/],
    ['an exhausted balance', { baseUrl: '/busy' }, 'sk-good', 'limited', /429/],
    ['a broken provider', { baseUrl: '/broken' }, 'sk-good', 'failed', /502/],
    ['an address without a server', { baseUrl: 'http://127.0.0.1:10' }, 'sk-good', 'failed', /^No connection to 127/],
  ])('says what to do about %s', async (_what, settings, key, status, reason) => {
    const { baseUrl: path } = settings as { baseUrl?: string };
    const connection = await create({ ...settings, ...(path?.startsWith('/') && { baseUrl: baseUrl + path }) }, key);
    expect(connection).toMatchObject({ status, statusReason: expect.stringMatching(reason) });
  });

  it.each<[object, string]>([
    [{ baseUrl: null }, '/settings/baseUrl'],
    [{ provider: 'other' }, '/settings/provider'],
    [{ inputPrice: '1' }, '/settings/outputPrice'],
    [{ inputPrice: 'cheap', outputPrice: '1' }, '/settings/inputPrice'],
    [{ monthlyCap: '10' }, '/settings/monthlyCap'],
    [{ inputPrice: '1', outputPrice: '1', currency: 'euro' }, '/settings/currency'],
  ])('rejects %j with an error at %s', async (settings, pointer) => {
    const answer = await create(settings);
    expect(answer.code).toBe('invalid-request');
    expect(JSON.stringify(answer.errors)).toContain(`"${pointer}"`);
  });

  it('loses its key when its provider or host changes', async () => {
    const { id } = await create();
    const answer = await ask(
      'mutation ($input: UpdateConnectionInput!) { updateConnection(input: $input) { status credentials } }',
      {
        input: { id, revision: 1, settings: { provider: 'anthropic' } },
      },
    );
    expect(answer.data.updateConnection).toEqual({ status: 'failed', credentials: [] });
  });
});

describe('the operator’s model', () => {
  it('is available without a connection, at the operator’s address, with the first listed model', async () => {
    const model = await server.app.get(ModelsService).languageModel(lark.system, null);
    expect(model).toMatchObject({
      provider: 'openai-compatible',
      baseUrl: `${baseUrl}/open`,
      model: 'small-1',
      apiKey: 'sk-operator',
      connectionId: null,
    });
    expect((await model!.fetch(`${model!.baseUrl}/models`)).status).toBe(200);
  });
});

describe('the cost of a model', () => {
  const record = (connectionId: string, taskId: string, inputTokens: number, outputTokens: number) =>
    server.app
      .get(DatabaseService)
      .tenant(lark.system, (tx) =>
        server.app.get(ModelsService).recordUsage(tx, lark.system, { connectionId, taskId, inputTokens, outputTokens }),
      );
  const usage = async (id: string) =>
    (
      await ask('query ($id: ID!) { connection(id: $id) { usage { taskId turns inputTokens outputTokens cost } } }', {
        id,
      })
    ).data.connection.usage;

  it('is counted per task, exactly', async () => {
    const { id } = await create({ inputPrice: '0.15', outputPrice: '0.60' });
    const [cheap, dear] = [newId(), newId()];
    await record(id, dear, 10_000, 1_000);
    await record(id, dear, 20_000, 2_000);
    await record(id, cheap, 10, 10);
    await expect(usage(id)).resolves.toEqual([
      { taskId: dear, turns: 2, inputTokens: 30_000, outputTokens: 3_000, cost: '0.006300000' },
      { taskId: cheap, turns: 1, inputTokens: 10, outputTokens: 10, cost: '0.000007500' },
    ]);
  });

  it('is unknown without prices, not zero', async () => {
    const { id } = await create();
    await record(id, newId(), 5, 5);
    await expect(usage(id)).resolves.toMatchObject([{ cost: null }]);
  });

  it('stops at the monthly cap, until it is raised', async () => {
    const { id } = await create({ inputPrice: '1', outputPrice: '1', monthlyCap: '2' });
    const within = () => server.app.get(ModelsService).assertWithinCap(lark.system, id);
    await record(id, newId(), 1_999_999, 0);
    await expect(within()).resolves.toBeUndefined();
    await record(id, newId(), 1, 0);
    await expect(within()).rejects.toMatchObject({ code: 'model-cap-reached' });
    await ask('mutation ($input: UpdateConnectionInput!) { updateConnection(input: $input) { id } }', {
      input: { id, revision: 1, settings: { monthlyCap: '3' } },
    });
    await expect(within()).resolves.toBeUndefined();
  });

  it('is not visible to other organizations', async () => {
    const { id } = await create();
    const other = await anOrganization(server);
    expect((await (await other.as())('query ($id: ID!) { connection(id: $id) { usage { cost } } }', { id })).code).toBe(
      'connection-not-found',
    );
    await expect(server.app.get(ModelsService).languageModel(other.system, id)).rejects.toMatchObject({
      code: 'connection-not-found',
    });
  });
});
