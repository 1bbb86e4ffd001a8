import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { endPool, guardedPool } from '../src/platform/database/guarded-pool.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { statement } from '../src/platform/database/statement.js';
import { newId } from '../src/platform/crypto/ids.js';
import { AuditLogService } from '../src/audit/audit-log.service.js';
import { AuditService } from '../src/audit/audit.service.js';
import { systemPrincipal } from '../src/principal/principal.js';
import { startServer } from '../src/server.js';
import { emptyDatabase } from './kit/database.js';
import { testConfig, type TestServer, testServer } from './kit/server.js';
import { runSql } from './kit/run-sql.js';

let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});
afterAll(() => server.close());

describe('a pool', () => {
  it('ends only after all connections have ended', async () => {
    const pool = guardedPool({ connectionString: server.databaseUrl, max: 4 }, () => undefined);
    let open = 0;
    pool.on('connect', (client) => {
      open += 1;
      client.once('end', () => (open -= 1));
    });
    await Promise.all([1, 2, 3, 4].map(() => pool.query('select pg_sleep(0.05)')));
    expect(open).toBe(4);
    await endPool(pool);
    expect(open).toBe(0);
    const unused = guardedPool({ connectionString: server.databaseUrl }, () => undefined);
    await expect(endPool(unused)).resolves.toBeUndefined();
  });
});

describe('a failed start', () => {
  it('leaves no running jobs and no open connections', async () => {
    const empty = await emptyDatabase();
    const owner = new pg.Client(empty.url);
    await owner.connect();
    const taken = String(server.config.port);
    await expect(startServer(testConfig(empty.url, server.folder, { PORT: taken }))).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    await expect(startServer(testConfig(empty.url, server.folder, { INTERNAL_PORT: taken }))).rejects.toMatchObject({
      code: 'EADDRINUSE',
    });
    const others = `select application_name from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`;
    // a server process ends a moment after its connection
    await expect.poll(async () => (await owner.query(others)).rows).toEqual([]);
    await owner.end();
    await empty.drop();
  });
});

describe('the HTTP server', () => {
  it('answers an unknown address with problem+json', async () => {
    const response = await fetch(`${server.url}/nowhere`);
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toMatch('application/problem+json');
    await expect(response.json()).resolves.toMatchObject({
      code: 'not-found',
      status: 404,
      requestId: response.headers.get('x-request-id'),
    });
  });

  it('has a page for every error code', async () => {
    const page = await fetch(`${server.url}/problems/not-found`);
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    await expect(page.text()).resolves.toContain('Nothing exists at this address, or you do not have access to it.');
    await expect(fetch(`${server.url}/problems`).then((r) => r.text())).resolves.toContain('/problems/rate-limited');
  });

  it('answers a browser with an HTML page', async () => {
    const response = await fetch(`${server.url}/nowhere`, { headers: { accept: 'text/html,application/xhtml+xml' } });
    expect(response.status).toBe(404);
    expect(response.headers.get('content-type')).toMatch('text/html');
  });

  it('reports health and metrics on the internal port only', async () => {
    await expect(fetch(`http://127.0.0.1:${server.internalPort}/readyz`).then((r) => r.status)).resolves.toBe(200);
    await expect(fetch(`${server.url}/metrics`).then((r) => r.status)).resolves.toBe(404);
  });

  it('rejects GraphQL introspection without a credential', async () => {
    const response = await fetch(`${server.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ __schema { types { name } } }' }),
    });
    await expect(response.json()).resolves.toMatchObject({ errors: [{ extensions: { code: 'unauthenticated' } }] });
  });
});

describe('transactions', () => {
  const ada = systemPrincipal(newId(), 'ada');
  const eve = systemPrincipal(newId(), 'eve');
  const record = (principal: typeof ada, fail = false) =>
    server.app.get(DatabaseService).tenant(principal, async (tx) => {
      await server.app.get(AuditService).record(tx, principal, { kind: 'test.recorded' });
      if (fail) throw new Error('on purpose');
    });
  const count = async (principal: typeof ada) =>
    (await server.app.get(AuditLogService).list(principal, { first: 10 })).totalCount;

  it('roll back completely', async () => {
    await expect(record(ada, true)).rejects.toThrow('on purpose');
    await expect(count(ada)).resolves.toBe(0);
  });

  it('see only the rows of their own tenant', async () => {
    await record(ada);
    await expect(count(ada)).resolves.toBe(1);
    await expect(count(eve)).resolves.toBe(0);
  });

  it('cannot update audit events', async () => {
    const change = server.app
      .get(DatabaseService)
      .tenant(ada, (tx) => runSql(tx, `update audit_events set kind = 'test.forged'`));
    await expect(change).rejects.toMatchObject({ code: '42501' });
  });
});

describe('Tx.one', () => {
  const ada = systemPrincipal(newId(), 'ada');
  const rows = statement<[count: number], { n: number }>('select * from generate_series(1, $1::int) n');
  const read = (count: number) => server.app.get(DatabaseService).tenant(ada, (tx) => tx.one(rows, [count]));

  it('returns the row, or null', async () => {
    await expect(read(1)).resolves.toEqual({ n: 1 });
    await expect(read(0)).resolves.toBeNull();
  });

  it('throws if there is more than one row', async () => {
    await expect(read(2)).rejects.toThrow('the statement returned more than one row');
  });
});
