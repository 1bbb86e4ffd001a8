import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Member } from '../src/access/member.entity.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { RollupsService } from '../src/spend/reports/rollups.service.js';
import { type Api, apiOf, aUser } from './kit/api.js';
import { Contract } from './kit/contract.js';
import { GateFixture } from './kit/gate-fixture.js';
import { aProduct, type Product } from './kit/product.js';
import { testServer, type TestServer } from './kit/server.js';
import { SpendFixture } from './kit/spend-fixture.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let product: Product;
let contract: Contract;
let uma: Member;
let api: Api;

beforeAll(async () => {
  [server, workplace] = await Promise.all([testServer(), Workplace.start()]);
  fixture = await GateFixture.create(server, workplace);
  contract = await Contract.of(server.url);
  product = await aProduct(server, fixture.organization, { name: 'Line portal' });
  uma = await aUser(fixture);
  api = await through(uma);
  const spend = new SpendFixture(server, fixture.organization);
  const connectionId = await spend.createConnection();
  await spend.createIdentity(connectionId, 'uma', await spend.createPerson('Uma', { member: uma.id }));
  await spend.createIdentity(connectionId, 'other', await spend.createPerson('Otto'));
  for (const [day, cents] of [
    ['2026-10-31', '1.5'],
    ['2026-11-01', '2.25'],
    ['2026-11-02', '0.125'],
  ]) {
    const own = {
      ai_requests_agent: 2,
      tab_completions_shown: 4,
      tab_completions_accepted: 1,
      lines_accepted_added: 8,
    };
    await spend.createDay({ day, of: 'uma', ...own, charged_cents: cents, included_cents: '0.1' });
    await spend.createDay({ day, of: 'other', ai_requests_agent: 900, charged_cents: '999' });
    await spend.setCoverage(connectionId, day, day < '2026-11-02' ? 'final' : 'provisional');
    const { system } = fixture.organization;
    await server.app
      .get(DatabaseService)
      .tenant(system, (tx) => server.app.get(RollupsService).updateDay(tx, system, { connectionId, day }));
  }
  await spend.setCoverage(connectionId, '2026-10-20', 'lost');
});
afterAll(async () => {
  await server.close();
  await workplace.stop();
});

interface Period {
  from: string;
  to: string;
  chargedCents: string | null;
  metrics: Record<string, number | null>;
}

const through = (person: Member) => apiOf(server, fixture, person, { scope: 'api:read', product, contract });

describe('GET /v1/usage', () => {
  it('returns only the caller’s own usage', async () => {
    const { status, body } = await api.get('/usage?from=2026-10-01&to=2026-11-30&per=month');
    expect(status).toBe(200);
    expect(
      body.periods.map(({ from, to, chargedCents, metrics }: Period) => [
        from,
        to,
        chargedCents,
        metrics.ai_requests_agent,
      ]),
    ).toEqual([
      ['2026-11-01', '2026-11-30', '2.375', 4],
      ['2026-10-01', '2026-10-31', '1.5', 2],
    ]);
    expect(body.total).toMatchObject({
      chargedCents: '3.875',
      includedCents: '0.3',
      usageBasedCents: '3.575',
      tabAcceptanceRate: 0.25,
      applyAcceptanceRate: null,
      centsPerAcceptedLine: '0.1615',
      metrics: { ai_requests_chat: null },
    });
  });

  it('reports provisional, pending and lost days', async () => {
    const { body } = await api.get('/usage?from=2026-10-01&to=2026-11-30');
    expect(body).toMatchObject({
      dataSince: '2026-10-31',
      lost: [{ from: '2026-10-20', to: '2026-10-20' }],
      provisional: [{ from: '2026-11-02', to: '2026-11-02' }],
      pending: [],
    });
  });

  it('returns pages', async () => {
    const first = await api.get('/usage?from=2026-10-01&to=2026-11-30&limit=2');
    expect(first.body.periods.map(({ from }: Period) => from)).toEqual(['2026-11-02', '2026-11-01']);
    const second = await api.get(`/usage?from=2026-10-01&to=2026-11-30&limit=2&cursor=${first.body.nextCursor}`);
    expect(second.body.periods.map(({ from }: Period) => from)).toEqual(['2026-10-31']);
    expect(second.body.nextCursor).toBeNull();
  });

  it('is empty for a member unknown to the vendors', async () => {
    const nobody = await through(await aUser(fixture, 'Nora Nobody'));
    const { body } = await nobody.get('/usage?from=2026-10-01&to=2026-11-30');
    expect(body).toMatchObject({ periods: [], nextCursor: null, total: { chargedCents: null } });
  });

  it.each([
    '',
    '?from=2026-10-01',
    '?from=2026-02-30&to=2026-03-01',
    '?from=2026-03-02&to=2026-03-01',
    '?from=1900-01-01&to=2026-03-01',
    '?from=0000-01-01&to=0000-01-02',
    '?from=2026-03-01&to=2026-03-02&per=year',
    '?from=2026-03-01&to=2026-03-02&person=somebody',
    '?from=2026-03-01&to=2026-03-02&cursor=WyJ4Il0',
  ])('rejects %s', async (query) => {
    const { status, body } = await api.get(`/usage${query}`);
    expect([status, body.code]).toEqual([400, 'invalid-request']);
  });
});
