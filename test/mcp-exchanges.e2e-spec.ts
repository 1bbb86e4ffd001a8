import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { setTimeout as rest } from 'node:timers/promises';
import pg from 'pg';
import { ExchangeGone } from '../src/mcp-sessions/exchanges.error.js';
import { ExchangesService, type ExchangeUpdate } from '../src/mcp-sessions/exchanges.service.js';
import { ExchangeLeaseService } from '../src/mcp-sessions/exchange-lease.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import type { Principal } from '../src/principal/principal.js';
import { startServer } from '../src/server.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { testConfig, type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let neighbour: Awaited<ReturnType<typeof startServer>>;
let here: ExchangesService;
let there: ExchangesService;
let lark: Organization;
let ada: Principal;
let owner: pg.Client;

const never = new AbortController().signal;
const question = { name: { method: 'elicitation/create', params: { message: 'Which belt?' } } };
const answer = { name: { action: 'accept', content: { belt: 'B2' } } };

beforeAll(async () => {
  server = await testServer();
  neighbour = await startServer(testConfig(server.databaseUrl, server.folder));
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
  here = server.app.get(ExchangesService);
  there = neighbour.app.get(ExchangesService);
  lark = await anOrganization(server);
  ada = by(lark);
});
afterAll(async () => {
  await owner.end();
  await neighbour.close();
  await server.close();
});

/** A member with a client and a configuration. */
function by(organization: Organization, changes: Partial<Principal> = {}): Principal {
  const { id: memberId, name } = organization.admin;
  const held = { memberId, clientId: newId(), configurationId: newId(), scopes: ['api:write'] as const };
  return { ...organization.system, kind: 'member', name, surface: 'mcp', ...held, ...changes };
}

describe('an exchange', () => {
  it('asks through one process, is answered through another, and returns its end to later readers', async () => {
    const exchange = await here.open(ada);
    const asking = exchange.request(question, never);
    await expect(there.next(ada, exchange.id, 0, never)).resolves.toEqual({ number: 1, asked: question });
    const following = there.next(ada, exchange.id, 1, never);
    await there.respond(ada, exchange.id, 1, answer);
    await expect(asking).resolves.toEqual(answer);
    await exchange.complete({ content: [] });
    const end = { number: 2, ended: { content: [] } };
    await expect(following).resolves.toEqual(end);
    await expect(here.next(ada, exchange.id, 0, never)).resolves.toEqual(end);
  });

  it('uses the first of two answers and ignores the second', async () => {
    const exchange = await here.open(ada);
    const asking = exchange.request(question, never);
    await there.next(ada, exchange.id, 0, never);
    await there.respond(ada, exchange.id, 1, answer);
    await there.respond(ada, exchange.id, 1, { name: { action: 'decline' } });
    await expect(asking).resolves.toEqual(answer);
    await exchange.complete({});
    await expect(there.respond(ada, exchange.id, 1, answer)).resolves.toBeUndefined();
  });

  it('asks several questions at once and returns each until it is answered', async () => {
    const exchange = await here.open(ada);
    const other = { roots: { method: 'roots/list' } };
    const asking = [exchange.request(question, never), exchange.request(other, never)];
    await rest(50);
    await expect(there.next(ada, exchange.id, 1, never)).resolves.toEqual({ number: 2, asked: other });
    await there.respond(ada, exchange.id, 2, { roots: { roots: [] } });
    await expect(there.next(ada, exchange.id, 0, never)).resolves.toEqual({ number: 1, asked: question });
    await there.respond(ada, exchange.id, 1, answer);
    await expect(Promise.all(asking)).resolves.toEqual([answer, { roots: { roots: [] } }]);
    await exchange.complete({});
  });

  it('no longer returns a withdrawn question', async () => {
    const exchange = await here.open(ada);
    const cancellation = new AbortController();
    const asking = exchange.request(question, cancellation.signal);
    await there.next(ada, exchange.id, 0, never);
    cancellation.abort(new Error('the server gave up'));
    await expect(asking).rejects.toThrow('the server gave up');
    await there.respond(ada, exchange.id, 1, answer); // a late answer is not an error
    const next = there.next(ada, exchange.id, 0, never);
    await exchange.complete({ isError: true });
    await expect(next).resolves.toEqual({ number: 2, ended: { isError: true } });
  });

  it('stops waiting for the next message when the signal aborts', async () => {
    const exchange = await here.open(ada);
    const waiting = new AbortController();
    const next = there.next(ada, exchange.id, 0, waiting.signal);
    waiting.abort(new Error('the client hung up'));
    await expect(next).rejects.toThrow('the client hung up');
    await exchange.complete({});
  });

  it('does not exist for anyone else', async () => {
    const exchange = await here.open(ada);
    const asking = exchange.request(question, never);
    const wren = await anOrganization(server);
    const max = await lark.member();
    const strangers = [
      { ...ada, memberId: max.id },
      { ...ada, clientId: newId() },
      { ...ada, configurationId: newId() },
      { ...ada, tenantId: wren.tenant.id },
    ];
    for (const stranger of strangers) {
      await expect(there.next(stranger, exchange.id, 0, never)).resolves.toEqual({ gone: true });
      await expect(there.respond(stranger, exchange.id, 1, answer)).rejects.toThrow(ExchangeGone);
    }
    await expect(there.respond(ada, exchange.id, 2, answer)).rejects.toThrow(ExchangeGone); // was never asked
    await there.respond(ada, exchange.id, 1, answer);
    await asking;
    await exchange.complete({});
  });

  it('is sealed in the database', async () => {
    const exchange = await here.open(ada);
    const asking = exchange.request(question, never);
    await there.next(ada, exchange.id, 0, never);
    await there.respond(ada, exchange.id, 1, answer);
    await asking;
    await exchange.complete({ secret: 'B2' });
    const { rows } = await owner.query<{ message: Buffer; answer: Buffer | null }>(
      'select message_sealed as message, answer_sealed as answer from mcp_exchange_messages where exchange_id = $1',
      [exchange.id],
    );
    expect(rows).toHaveLength(2);
    const stored = rows.map((row) => row.message.toString('latin1') + (row.answer?.toString('latin1') ?? '')).join();
    expect(stored).not.toMatch(/belt|B2|elicitation/);
  });
});

describe('an exchange of a process', () => {
  const gone = { gone: true };

  it('that crashes is gone when the lease expires', async () => {
    const exchange = await here.open(ada);
    void exchange.request(question, new AbortController().signal).catch(() => undefined);
    await there.next(ada, exchange.id, 0, never);
    const next = there.next(ada, exchange.id, 1, never);
    server.app.get(ExchangeLeaseService).release(exchange.id); // looks like a crash to other processes
    const startedAt = performance.now();
    await expect(next).resolves.toEqual(gone);
    expect(performance.now() - startedAt).toBeGreaterThan(5000);
    await expect(there.respond(ada, exchange.id, 1, answer)).rejects.toThrow(ExchangeGone);
  });

  it('that is alive remains alive through lease renewals', async () => {
    const exchange = await here.open(ada);
    const next = there.next(ada, exchange.id, 0, never);
    await owner.query(`update mcp_exchanges set alive_until = now() + interval '4 seconds' where id = $1`, [
      exchange.id,
    ]);
    const result = await Promise.race<ExchangeUpdate | 'waits'>([next, rest(6000, 'waits', { ref: false })]);
    expect(result).toBe('waits');
    await exchange.complete({});
    await next;
  });

  it('that shuts down is gone immediately after the drain', async () => {
    const third = await startServer(testConfig(server.databaseUrl, server.folder));
    const exchange = await third.app.get(ExchangesService).open(ada);
    const next = here.next(ada, exchange.id, 0, never);
    const closed = third.close();
    const result = await Promise.race<ExchangeUpdate | 'waits'>([next, rest(1000, 'waits', { ref: false })]);
    expect(result).toBe('waits'); // the process drains first
    await closed;
    const { rows } = await owner.query<{ gone: boolean }>(
      'select alive_until <= clock_timestamp() as gone from mcp_exchanges where id = $1',
      [exchange.id],
    );
    expect(rows).toEqual([gone]);
    await expect(next).resolves.toEqual(gone);
  });

  it('that shuts down still returns its end if it ends during the drain', async () => {
    const third = await startServer(testConfig(server.databaseUrl, server.folder));
    const exchange = await third.app.get(ExchangesService).open(ada);
    const next = here.next(ada, exchange.id, 0, never);
    const closed = third.close();
    await rest(500);
    await exchange.complete({ content: [] });
    await closed;
    await expect(next).resolves.toEqual({ number: 1, ended: { content: [] } });
  });
});
