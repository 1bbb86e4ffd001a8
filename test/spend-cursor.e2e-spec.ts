import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { type Fault } from '../examples/vendor-simulator/faults.js';
import { startSimulator, type VendorSimulator } from '../examples/vendor-simulator/simulator.js';
import { ConnectorRegistry } from '../src/connections/connector-registry.service.js';
import { OutboundHttpClient } from '../src/platform/http/outbound-http-client.service.js';
import type { CursorTimeouts } from '../src/spend/cursor/cursor-api.js';
import { verifyCursor } from '../src/spend/cursor/verification.js';
import { connectorContract } from './connector-contract.js';
import { CursorSyncFixture } from './kit/cursor-sync-fixture.js';
import { type GraphqlRequest, anOrganization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let cursor: VendorSimulator;
let server: TestServer;
let ask: GraphqlRequest;
beforeAll(async () => {
  cursor = await startSimulator({ seed: 5, people: 8, days: 40 });
  server = await testServer({ CURSOR_URL: cursor.url, ALLOW_PRIVATE_NETWORKS: '' });
  ask = await (await anOrganization(server)).as();
});
afterAll(async () => {
  await server.close();
  await cursor.close();
});
afterEach(() => cursor.faults.clear());

connectorContract('cursor', async () => ({
  kind: server.app.get(ConnectorRegistry).get('cursor'),
  outgoing: server.app.get(OutboundHttpClient),
  settings: {},
  secrets: { apiKey: cursor.key },
  brokenSettings: {},
  brokenSecrets: { apiKey: 'crsr_of_somebody_else' },
}));

let count = 0;
async function connect(...faults: Fault[]): Promise<{ id: string; status: string; statusReason: string | null }> {
  cursor.faults.add(...faults);
  const input = {
    kind: 'cursor',
    name: 'Cursor',
    slug: `cursor-${++count}`,
    settings: {},
    secrets: { apiKey: cursor.key },
  };
  const { data } = await ask(
    'mutation ($input: CreateConnectionInput!) { createConnection(input: $input) { id status statusReason credentials } }',
    { input },
  );
  expect(JSON.stringify(data)).not.toContain(cursor.key);
  return data.createConnection;
}

describe('the connector list', () => {
  it('describes Cursor with one field and the required key', async () => {
    const { data } = await ask(
      '{ connectors { id title setUp offers pullCadence fields { name label type required } } }',
    );
    expect(data.connectors).toContainEqual({
      id: 'cursor',
      title: 'Cursor',
      setUp: expect.stringMatching(
        /team key.*team administrator.*Business or Enterprise.*requires the scope admin:\*.*Read-only, try that first/s,
      ),
      offers: ['spend', 'estate'],
      pullCadence: '1h',
      fields: [{ name: 'apiKey', label: 'API key', type: 'secret', required: true }],
    });
  });
});

describe('a connection', () => {
  it('is connected after one successful request to each endpoint, with the key as user name', async () => {
    cursor.requests.length = 0;
    await expect(connect()).resolves.toMatchObject({ status: 'connected', statusReason: null });
    expect(new Set(cursor.requests.map(({ method, path }) => `${method} ${path}`))).toEqual(
      new Set([
        'GET /teams/members',
        'POST /teams/daily-usage-data',
        'POST /teams/filtered-usage-events',
        'POST /teams/spend',
        'GET /analytics/by-user/mcp',
      ]),
    );
  });

  it('fails with a member key', async () => {
    await expect(connect({ kind: 'member-key' })).resolves.toMatchObject({ status: 'failed' });
  });

  it('is connected on a Business plan, with a note of what the plan does not include', async () => {
    await expect(connect({ kind: 'business-plan' })).resolves.toMatchObject({
      status: 'connected',
      statusReason: expect.stringMatching(/MCP server usage only on its Enterprise plan.*\(plan_not_enterprise\)$/),
    });
  });
});

describe('the API key', () => {
  it('is nowhere in the database in plain text, after successful and failed verifications', async () => {
    const { id } = await connect();
    cursor.faults.add({ kind: 'revoked-key' });
    const { data } = await ask('mutation ($id: ID!) { verifyConnection(input: { id: $id }) { status } }', { id });
    expect(data.verifyConnection).toEqual({ status: 'failed' });
    const client = new pg.Client({ connectionString: server.databaseUrl });
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      "select quote_ident(table_name) as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
    );
    expect(rows.length).toBeGreaterThan(20);
    for (const { name } of rows) {
      const { rowCount } = await client.query(
        `select 1 from ${name} t where strpos(t::text, $1) > 0 or strpos(t::text, encode($1::text::bytea, 'hex')) > 0`,
        [cursor.key],
      );
      expect([name, rowCount]).toEqual([name, 0]);
    }
    await client.end();
  });
});

describe('verification', () => {
  const verified = async (faults: Fault[], timeouts: Partial<CursorTimeouts> = {}) => {
    const connector = new CursorSyncFixture(cursor.url, cursor.key, timeouts);
    cursor.faults.add(...faults);
    const verification = await verifyCursor(connector.api, connector.context);
    expect(JSON.stringify([verification, connector.log.lines])).not.toContain(cursor.key);
    await connector.close();
    return verification;
  };

  it.each<[string, Fault[], string, RegExp]>([
    ['a revoked key', [{ kind: 'revoked-key' }], 'failed', /^Cursor does not accept this key.*\(invalid_key\)$/],
    ['a member key', [{ kind: 'member-key' }], 'failed', /^This key belongs to a member.*\(not_team_admin_key\)$/],
    ['a key without the scope', [{ kind: 'missing-scope' }], 'failed', /admin:\*.*\(missing_scope\)$/],
    [
      'a key without the scope for one required endpoint',
      [{ kind: 'missing-scope', on: '/teams/filtered' }],
      'failed',
      /no permission to read tokens and costs.*\(missing_scope\)$/,
    ],
    [
      'a Business plan',
      [{ kind: 'business-plan' }],
      'connected',
      /^Cursor provides MCP server usage only on its Enterprise plan.*\(plan_not_enterprise\)$/,
    ],
    [
      'a plan without the billing cycle total and MCP server usage',
      [{ kind: 'business-plan' }, { kind: 'error', on: '/teams/spend', status: 402 }],
      'connected',
      /^Cursor provides the billing cycle total and MCP server usage only on its Enterprise plan.*\(plan_not_enterprise\)$/,
    ],
    [
      'a plan without a required endpoint',
      [{ kind: 'error', on: '/teams/daily', status: 402 }],
      'failed',
      /^Cursor provides daily usage only on its Enterprise plan.*\(plan_not_enterprise\)$/,
    ],
    [
      'too many requests',
      [{ kind: 'limited', retryAfter: 1 }],
      'failed',
      /limit for members, daily usage, and tokens and costs is reached.*\(rate_limited\)$/,
    ],
    [
      'too many requests to one endpoint',
      [{ kind: 'limited', on: '/teams/daily', retryAfter: 1 }],
      'limited',
      /^Cursor’s rate limit for daily usage is reached.*\(rate_limited\)$/,
    ],
    ['an outage', [{ kind: 'error', status: 503 }], 'failed', /^Cursor could not return.*\(vendor_unavailable\)/],
    [
      'an outage of one endpoint',
      [{ kind: 'error', on: '/teams/spend' }],
      'limited',
      /^Cursor could not return the billing cycle total \(status 500\).*\(vendor_unavailable\)$/,
    ],
    ['a dropped connection', [{ kind: 'cut' }], 'failed', /^Cursor could not be reached.*\(network\)$/],
    ['an HTML page', [{ kind: 'html' }], 'failed', /not a JSON object.*\(unexpected_answer\)$/],
    ['a truncated response', [{ kind: 'half' }], 'failed', /\(unexpected_answer\)$/],
    ['a response of ten megabytes', [{ kind: 'huge', on: '/teams/filtered' }], 'failed', /\(unexpected_answer\)$/],
    ['a redirect', [{ kind: 'redirect' }], 'failed', /redirect.*\(unexpected_answer\)$/],
    [
      'two problems at once',
      [{ kind: 'business-plan' }, { kind: 'error', on: '/teams/spend' }],
      'limited',
      /\(plan_not_enterprise\) Cursor could not return.*\(vendor_unavailable\)$/,
    ],
  ])('reports %s', async (_, faults, status, reason) => {
    const verification = await verified(faults);
    expect(verification).toEqual({ status, reason: expect.stringMatching(reason) });
    expect(verification.reason!.length).toBeLessThan(500);
  });

  it('is limited after a short timeout if one endpoint hangs', async () => {
    await expect(verified([{ kind: 'hang', on: '/analytics/' }], { quickAnswerMs: 3000 })).resolves.toEqual({
      status: 'limited',
      reason: expect.stringMatching(/\(vendor_unavailable\)$/),
    });
  });

  it('stops when its signal aborts', async () => {
    const connector = new CursorSyncFixture(cursor.url, cursor.key);
    cursor.faults.add({ kind: 'hang' });
    setTimeout(() => connector.stop(new Error('time is over')), 100);
    await expect(verifyCursor(connector.api, connector.context)).rejects.toThrow('time is over');
    await connector.close();
  });
});
