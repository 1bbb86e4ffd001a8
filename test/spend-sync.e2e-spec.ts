import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { setTimeout as rest } from 'node:timers/promises';
import pg from 'pg';
import { SpendSyncScheduler } from '../src/spend/sync/spend-sync-scheduler.service.js';
import { type VendorMember, VendorError } from '../src/spend/vendor.js';
import {
  vendorCharge,
  createVendorConnection,
  dayAgo,
  FakeSpendVendor,
  vendorIdentity,
  currentDay,
  vendorUsage,
} from './kit/fake-spend-vendor.js';
import { anOrganization, type GraphqlRequest, type Organization } from './kit/organization.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let owner: pg.Client;
let vendor: FakeSpendVendor;
let connection: string;
let ask: GraphqlRequest;
let organization: Organization;
let kinds = 0;

beforeAll(async () => {
  server = await testServer();
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await server.close();
});

const seat = (name: string): VendorMember => ({ identity: vendorIdentity(name), role: 'member', isRemoved: false });
const rows = async <T>(sql: string, ...more: unknown[]): Promise<T[]> =>
  (await owner.query(sql, [connection, ...more])).rows as T[];

beforeEach(async () => {
  const kind = `made-${++kinds}`;
  vendor = FakeSpendVendor.register(server, kind);
  vendor.daysBack = 5;
  vendor.people = [seat('ines'), seat('olu')];
  vendor.rows = [vendorUsage('ines', currentDay()), vendorUsage('olu', currentDay()), vendorUsage('ines', dayAgo(3))];
  vendor.events = [
    vendorCharge('ines', currentDay()),
    vendorCharge('ines', currentDay(), { model: 'fir-1', isIncluded: true, chargedCents: '0.25' }),
    vendorCharge('ines', dayAgo(3), { chargedCents: '0.1' }),
  ];
  organization = await anOrganization(server);
  ask = await organization.as();
  connection = await createVendorConnection(ask, kind, 'spend');
});
afterEach(() => owner.query('update connections set paused_at = now() where paused_at is null'));

async function until(sql: string, isIt: (row: Record<string, unknown>) => boolean) {
  const deadline = Date.now() + 120_000;
  for (;;) {
    const [row] = await rows<Record<string, unknown>>(sql);
    if (row && isIt(row)) return row;
    await server.app.get(SpendSyncScheduler).startDue();
    if (Date.now() > deadline) throw new Error(`it is ${JSON.stringify(row)}\n${vendor.requestLog.join('\n')}`);
    await rest(50);
  }
}
/** Waits until nothing is due. */
const idle = () =>
  until(
    `select f.*, (select count(*)::int from spend_runs r where r.connection_id = $1 and state = 'running') as open
     from spend_feeds f where connection_id = $1`,
    ({ open, lease_until, next_at }) => open === 0 && !lease_until && (next_at as Date) > new Date(),
  );
async function syncAgain(kind: 'hourly' | 'daily' | 'weekly' = 'daily'): Promise<void> {
  await rows(`update spend_feeds set ${kind}_at = now(), next_at = now() where connection_id = $1`);
  await rest(10);
  await idle();
}
const days = () =>
  rows<Record<string, unknown>>(
    `select d.day::text, i.key, d.ai_requests_chat as chat, d.lines_accepted_added as lines, d.input_tokens::int as input,
            d.charged_cents as charged, d.included_cents as included
     from spend_days d join spend_identities i on i.id = d.identity where i.connection_id = $1 order by 1, 2`,
  );
const coverage = (stream = 'usage') =>
  rows<{ day: string; state: string; revision: number; rows: number | null; reason: string | null }>(
    'select day::text, state, revision, rows, reason from spend_coverage where connection_id = $1 and stream = $2 order by day desc',
    stream,
  );

describe('the first sync', () => {
  it('stores every day that the vendor still serves', async () => {
    await idle();
    expect(await days()).toEqual([
      { day: dayAgo(3), key: 'ines@carts.example', chat: 1, lines: 10, input: 100, charged: '0.1', included: '0' },
      {
        day: currentDay(),
        key: 'ines@carts.example',
        chat: 1,
        lines: 10,
        input: 200,
        charged: '1.75',
        included: '0.25',
      },
      { day: currentDay(), key: 'olu@carts.example', chat: 1, lines: 10, input: null, charged: null, included: null },
    ]);
    expect(await coverage()).toEqual(
      [2, 0, 0, 1, 0].map((count, ago) => ({
        day: dayAgo(ago),
        state: 'provisional',
        revision: 1,
        rows: count,
        reason: null,
      })),
    );
    expect((await coverage('events')).map((day) => day.rows)).toEqual([2, 0, 0, 1, 0]);
  });

  it('starts with the newest days and requests the rest together', async () => {
    await idle();
    expect(vendor.requestLog).toEqual([
      'members',
      `usage ${dayAgo(1)}..${dayAgo(0)}`,
      `charges ${dayAgo(0)}`,
      `charges ${dayAgo(1)}`,
      `usage ${dayAgo(4)}..${dayAgo(2)}`,
      ...[2, 3, 4].map((ago) => `charges ${dayAgo(ago)}`),
    ]);
    const runs = await rows(
      'select kind, state, days_done, days_total, requests from spend_runs where connection_id = $1 order by kind',
    );
    expect(runs).toEqual([
      { kind: 'backfill', state: 'done', days_done: 3, days_total: 3, requests: 4 },
      { kind: 'hourly', state: 'done', days_done: 2, days_total: 2, requests: 4 },
    ]);
  });

  it('syncs recent days again at the cadence of the connector', async () => {
    const kind = `made-${++kinds}`;
    const frequent = FakeSpendVendor.register(server, kind, '15m');
    frequent.daysBack = 2;
    connection = await createVendorConnection(ask, kind, 'frequent');
    await idle();
    const [feed] = await rows<{ minutes: number }>(
      `select round(extract(epoch from hourly_at - r.ended_at) / 60)::int as minutes
       from spend_feeds f join spend_runs r using (tenant_id, connection_id)
       where connection_id = $1 and r.kind = 'hourly'`,
    );
    expect(feed.minutes).toBe(15);
  });

  it('stores unused seats', async () => {
    vendor.people.push(seat('quiet'));
    await syncAgain();
    await rows(`update spend_feeds set members_at = null where connection_id = $1`);
    await syncAgain();
    const seats = 'select key, has_seat from spend_identities where connection_id = $1 order by key';
    expect(await rows(seats)).toContainEqual({ key: 'quiet@carts.example', has_seat: true });
  });
});

describe('a later sync', () => {
  beforeEach(idle);

  it('of an unchanged day updates only the sync time', async () => {
    const before = await rows(
      'select d.ctid, d.xmin, d.* from spend_days d join spend_identities i on i.id = d.identity where i.connection_id = $1',
    );
    const latest = 'select max(pulled_at) as at from spend_coverage where connection_id = $1';
    const [{ at }] = await rows<{ at: Date }>(latest);
    await syncAgain('weekly');
    expect(
      await rows(
        'select d.ctid, d.xmin, d.* from spend_days d join spend_identities i on i.id = d.identity where i.connection_id = $1',
      ),
    ).toEqual(before);
    expect((await rows<{ at: Date }>(latest))[0].at > at).toBe(true);
    expect((await coverage()).every(({ revision }) => revision === 1)).toBe(true);
  });

  it('replaces a day with corrected costs, late events and missing users', async () => {
    vendor.rows = [vendorUsage('ines', currentDay(), { ai_requests_chat: 7 }), vendorUsage('ines', dayAgo(3))];
    vendor.events = [
      vendorCharge('ines', currentDay(), { chargedCents: '1.499999999999999999' }),
      vendorCharge('late', currentDay(), { chargedCents: '40' }),
      vendorCharge('ines', dayAgo(3), { chargedCents: '0.1' }),
    ];
    await syncAgain();
    expect(await days()).toEqual([
      expect.objectContaining({ day: dayAgo(3), charged: '0.1' }),
      expect.objectContaining({ key: 'ines@carts.example', chat: 7, input: 100, charged: '1.499999999999999999' }),
      expect.objectContaining({ key: 'late@carts.example', chat: null, charged: '40' }),
    ]);
    expect(
      await rows(
        'select day::text, revision, rows_added, rows_changed, rows_removed, charged_cents_before, charged_cents_after from spend_revisions where connection_id = $1 and revision > 1',
      ),
    ).toEqual([
      {
        day: currentDay(),
        revision: 2,
        rows_added: 1,
        rows_changed: 1,
        rows_removed: 1,
        charged_cents_before: '1.75',
        charged_cents_after: '41.499999999999999999',
      },
    ]);
  });

  it('detects costs that only moved between models', async () => {
    vendor.events[0].model = 'yew-9';
    await syncAgain();
    expect(
      await rows(
        `select m.name, c.charged_cents from spend_charges c join spend_models m on m.id = c.model
        join spend_identities i on i.id = c.identity where i.connection_id = $1 and c.day = $2 order by 1`,
        currentDay(),
      ),
    ).toEqual([
      { name: 'fir-1', charged_cents: '0.25' },
      { name: 'yew-9', charged_cents: '1.5' },
    ]);
    expect((await coverage())[0].revision).toBe(2);
  });

  it('stores a duplicate row of a vendor once', async () => {
    vendor.rows.push(vendorUsage('olu', currentDay(), { ai_requests_chat: 5 }));
    await syncAgain();
    expect(await days()).toContainEqual(expect.objectContaining({ key: 'olu@carts.example', chat: 5 }));
    await syncAgain();
    expect((await coverage())[0].revision).toBe(2);
  });

  it('stores values out of range as unknown and reports them', async () => {
    vendor.rows[0].ai_requests_chat = 2 ** 31;
    vendor.rows[1].lines_accepted_added = -1;
    await syncAgain();
    expect(await days()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ key: 'ines@carts.example', chat: null, lines: 10 }),
        expect.objectContaining({ key: 'olu@carts.example', chat: 1, lines: null }),
      ]),
    );
    expect((await coverage())[0].reason).toBe('2 values could not be read and count as unknown.');
  });

  it('keeps the usage of a user who lost their seat', async () => {
    vendor.people = [seat('ines')];
    await rows('update spend_feeds set members_at = null where connection_id = $1');
    await syncAgain();
    const [olu] = await rows<{ has_seat: boolean; seat_until: Date }>(
      `select has_seat, seat_until from spend_identities where connection_id = $1 and key like 'olu%'`,
    );
    expect(olu).toEqual({ has_seat: false, seat_until: expect.any(Date) });
    expect(await days()).toContainEqual(expect.objectContaining({ key: 'olu@carts.example' }));
  });

  it('stores the latest client version of each user', async () => {
    vendor.rows[0].clientVersion = '2.1.0';
    vendor.rows[2].clientVersion = '2.0.3';
    await syncAgain('weekly');
    expect(
      await rows(
        `select client_version, client_version_day::text as day from spend_identities where connection_id = $1 and key like 'ines%'`,
      ),
    ).toEqual([{ client_version: '2.1.0', day: currentDay() }]);
  });

  it('replaces MCP server calls', async () => {
    const call = (server: string, calls: number) => ({
      day: currentDay(),
      identity: vendorIdentity('ines'),
      server,
      calls,
    });
    const stored = () =>
      rows(
        'select server, calls from spend_mcp_use u join spend_identities i on i.id = u.identity where i.connection_id = $1 order by 1',
      );
    vendor.calls = [call('tickets', 3), call('wiki', 1)];
    await syncAgain();
    expect(await stored()).toEqual([
      { server: 'tickets', calls: 3 },
      { server: 'wiki', calls: 1 },
    ]);
    vendor.calls = [call('tickets', 4)];
    await syncAgain();
    expect(await stored()).toEqual([{ server: 'tickets', calls: 4 }]);
  });
});

describe('a vendor failure', () => {
  beforeEach(idle);

  it('in one of the two streams leaves the day unchanged and records the reason', async () => {
    const before = await days();
    vendor.rows[0].ai_requests_chat = 99;
    vendor.onRequest = (what, day) => {
      if (what === 'charges' && day === currentDay())
        throw new VendorError('vendor_unavailable', 'The vendor is down.');
    };
    await rows('update spend_feeds set daily_at = now(), next_at = now() where connection_id = $1');
    const feed = await until('select * from spend_feeds where connection_id = $1', ({ trouble }) => trouble !== null);
    expect(feed).toMatchObject({
      trouble: 'vendor_unavailable',
      trouble_detail: 'The vendor is down.',
      lease_until: null,
    });
    expect(await days()).toEqual(before);
    expect((await coverage('events'))[0]).toMatchObject({ reason: 'The vendor is down.', revision: 1 });
    expect((await coverage('usage'))[0]).toMatchObject({ reason: null });
    vendor.onRequest = () => undefined;
    await rows('update spend_feeds set next_at = now() where connection_id = $1');
    await until('select trouble from spend_feeds where connection_id = $1', ({ trouble }) => trouble === null);
    await idle();
    expect(await days()).toContainEqual(expect.objectContaining({ day: currentDay(), chat: 99 }));
    expect((await coverage('events'))[0].reason).toBeNull();
  });

  it('on one day with an unreadable response does not stop the other days', async () => {
    vendor.rows = [0, 1, 2].map((ago) => vendorUsage('ines', dayAgo(ago), { ai_requests_chat: 5 }));
    vendor.onRequest = (what, day) => {
      if (what === 'charges' && day === dayAgo(1)) throw new VendorError('unexpected_answer', 'That is no JSON.');
    };
    await rows('update spend_feeds set daily_at = now(), next_at = now() where connection_id = $1');
    await until('select * from spend_feeds where connection_id = $1', ({ trouble }) => trouble === 'unexpected_answer');
    expect(await days()).toEqual(
      [2, 0]
        .map((ago) => expect.objectContaining({ day: dayAgo(ago), chat: 5 }))
        .toSpliced(0, 0, expect.objectContaining({ day: dayAgo(3) })),
    );
    expect((await coverage('events'))[1].reason).toBe('That is no JSON.');
  });

  it('because of a revoked key ends the run, and a new key starts another one', async () => {
    vendor.onRequest = () => {
      throw new VendorError('invalid_key', 'The key was refused: enter a new one.');
    };
    await rows('update spend_feeds set daily_at = now(), next_at = now() where connection_id = $1');
    await until('select * from spend_feeds where connection_id = $1', ({ trouble }) => trouble === 'invalid_key');
    expect(await rows(`select code, detail from spend_runs where connection_id = $1 and state = 'failed'`)).toEqual([
      { code: 'invalid_key', detail: 'The key was refused: enter a new one.' },
    ]);
    vendor.onRequest = () => undefined;
    await rows('update connections set revision = revision + 1 where id = $1');
    await until('select trouble from spend_feeds where connection_id = $1', ({ trouble }) => trouble === null);
  });
});

describe('a day', () => {
  beforeEach(idle);

  it('is final once the vendor no longer serves it, and lost if it was not synced completely', async () => {
    // simulates six days without syncs: all stored days are six days older, and were synced at noon of the last one
    await rows(
      `update spend_coverage set day = day - 6, pulled_at = ((now() at time zone 'UTC')::date - 6 + time '12:00') at time zone 'UTC'
       where connection_id = $1`,
    );
    await rows('update spend_revisions set day = day - 6 where connection_id = $1');
    for (const table of ['spend_days', 'spend_charges'])
      await rows(
        `update ${table} d set day = day - 6 from spend_identities i where i.id = d.identity and i.connection_id = $1`,
      );
    await syncAgain();
    const states = (await coverage()).map(({ state }) => state);
    // the last stored day was synced before it was complete, and the day after was never synced
    expect(states).toEqual([...Array(5).fill('provisional'), 'lost', 'lost', ...Array(4).fill('final')]);
    expect(await days()).toContainEqual(expect.objectContaining({ day: dayAgo(6) }));
  });
});

describe('a process that lost its lease', () => {
  beforeEach(idle);

  it('writes nothing', async () => {
    const before = await days();
    vendor.rows[0].ai_requests_chat = 42;
    let isSuperseded = false;
    vendor.onRequest = async (what) => {
      if (what !== 'charges' || isSuperseded) return;
      isSuperseded = true;
      await rows(
        `update spend_feeds set lease_epoch = lease_epoch + 1, lease_until = now() + interval '1 hour' where connection_id = $1`,
      );
    };
    await rows('update spend_feeds set daily_at = now(), next_at = now() where connection_id = $1');
    await until('select lease_epoch from spend_feeds where connection_id = $1', () => isSuperseded);
    await rest(500);
    expect(await days()).toEqual(before);
    await rows('update spend_feeds set lease_until = null where connection_id = $1');
    await idle();
    expect(await days()).toContainEqual(expect.objectContaining({ chat: 42 }));
  });
});

describe('a paused connection', () => {
  beforeEach(idle);

  it('gets no further writes of a running sync', async () => {
    const before = await days();
    vendor.rows[0].ai_requests_chat = 42;
    let isPaused = false;
    vendor.onRequest = async (what) => {
      if (what !== 'charges') return;
      await rows('update connections set paused_at = now() where id = $1');
      isPaused = true;
    };
    await rows('update spend_feeds set daily_at = now(), next_at = now() where connection_id = $1');
    await until('select 1 from spend_feeds where connection_id = $1', () => isPaused);
    await rest(500);
    expect(await days()).toEqual(before);
  });
});

describe('the sync status', () => {
  beforeEach(idle);

  it('shows the coverage of each day', async () => {
    const { data } = await ask(
      `query ($connectionId: ID!, $from: String!, $to: String!) {
        spendCoverage(connectionId: $connectionId, from: $from, to: $to) {
          day revision usage { state rows reason } events { state rows vendorTotal }
        }
      }`,
      { connectionId: connection, from: dayAgo(30), to: currentDay() },
    );
    expect(data.spendCoverage).toHaveLength(5);
    expect(data.spendCoverage[0]).toEqual({
      day: currentDay(),
      revision: 1,
      usage: { state: 'provisional', rows: 2, reason: null },
      events: { state: 'provisional', rows: 2, vendorTotal: 2 },
    });
  });

  it('shows runs and their changes', async () => {
    vendor.events[0].chargedCents = '2';
    const requested = await ask(
      `mutation ($input: SyncSpendInput!) { syncSpend(input: $input) { kind state fromDay toDay daysTotal } }`,
      { input: { connectionId: connection, days: 1 } },
    );
    expect(requested.data.syncSpend).toEqual({
      kind: 'asked',
      state: 'running',
      fromDay: currentDay(),
      toDay: currentDay(),
      daysTotal: 1,
    });
    await idle();
    const { data } = await ask(
      `query ($id: ID!, $day: String!) {
        spendRuns(connectionId: $id, first: 1) { totalCount nodes { kind state daysDone daysChanged } }
        spendRevisions(connectionId: $id, from: $day, to: $day) { revision rowsChanged chargedCentsBefore chargedCentsAfter }
      }`,
      { id: connection, day: currentDay() },
    );
    expect(data.spendRuns).toEqual({
      totalCount: 3,
      nodes: [{ kind: 'asked', state: 'done', daysDone: 1, daysChanged: 1 }],
    });
    expect(data.spendRevisions[0]).toEqual({
      revision: 2,
      rowsChanged: 1,
      chargedCentsBefore: '1.75',
      chargedCentsAfter: '2.25',
    });
    const { rows: events } = await owner.query(`select 1 from audit_events where kind = 'spend.pull_requested'`);
    expect(events).toHaveLength(1);
    const { rows: published } = await owner.query(`select payload from outbox where kind = 'spend.refreshed'`);
    expect(published).toContainEqual({ payload: { connectionId: connection } });
  });

  it('shows the difference from the vendor’s total', async () => {
    vendor.total = { start: dayAgo(2), cents: '1.70' };
    await syncAgain();
    const { data } = await ask(
      `{ spendFeeds { connectionId isSyncing trouble seats dataSince open { id }
          drift { cycleStart vendorCents ourCents differenceCents missingDays } } }`,
    );
    expect(data.spendFeeds).toEqual([
      {
        connectionId: connection,
        isSyncing: false,
        trouble: null,
        seats: 2,
        dataSince: dayAgo(4),
        open: [],
        drift: {
          cycleStart: dayAgo(2),
          vendorCents: '1.70',
          ourCents: '1.75',
          differenceCents: '0.05',
          missingDays: 0,
        },
      },
    ]);
  });

  it('is hidden from members and from other organizations', async () => {
    const sync = 'mutation ($input: SyncSpendInput!) { syncSpend(input: $input) { id } }';
    const input = { input: { connectionId: connection } };
    const member = await organization.as(await organization.member());
    expect((await member('{ spendFeeds { connectionId } }')).code).toBe('forbidden');
    const analyst = await organization.as(await organization.member({ roles: ['analyst'] }));
    expect((await analyst('{ spendFeeds { connectionId } }')).data.spendFeeds).toHaveLength(1);
    expect((await analyst(sync, input)).code).toBe('forbidden');
    const stranger = await (await anOrganization(server)).as();
    expect((await stranger('{ spendFeeds { connectionId } }')).data.spendFeeds).toEqual([]);
    expect((await stranger(sync, input)).code).toBe('spend-feed-not-found');
    expect(
      (
        await ask(
          'query ($id: ID!) { spendCoverage(connectionId: $id, from: "2026-01-01", to: "2025-01-01") { day } }',
          { id: connection },
        )
      ).code,
    ).toBe('invalid-request');
  });
});

describe('a sync that the database stops', () => {
  it('reports the failure and the next attempt, and continues with the missing days', async () => {
    await idle();
    const feed = async () =>
      (await ask('{ spendFeeds { trouble errorDetail failedAttempts nextAt } }')).data.spendFeeds[0] as Record<
        string,
        unknown
      >;
    vendor.rows.push(vendorUsage('olu', dayAgo(1), { ai_requests_chat: 7 }));
    await owner.query('begin');
    await owner.query('lock table spend_days in share mode');
    const other = new pg.Client(server.databaseUrl);
    await other.connect();
    try {
      await other.query('update spend_feeds set daily_at = now(), next_at = now() where connection_id = $1', [
        connection,
      ]);
      for (;;) {
        await server.app.get(SpendSyncScheduler).startDue();
        const { rowCount } = await other.query(
          `select pg_cancel_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name = 'countersign-bulk' and wait_event_type = 'Lock'`,
        );
        if (rowCount) break;
        await rest(50);
      }
    } finally {
      await other.end();
      await owner.query('rollback');
    }
    const failed = await until('select * from spend_feeds where connection_id = $1', ({ trouble }) => trouble !== null);
    expect(failed).toMatchObject({ trouble: 'database_timeout', failures: 1 });
    expect(await feed()).toMatchObject({
      trouble: 'database_timeout',
      errorDetail: expect.stringMatching(
        /while storing \d{4}-\d\d-\d\d, .*Stored days are kept.*next attempt/,
      ) as string,
      failedAttempts: 1,
      nextAt: (failed.next_at as Date).toISOString(),
    });
    await rows('update spend_feeds set next_at = now() where connection_id = $1');
    await idle();
    expect(await feed()).toMatchObject({ trouble: null, errorDetail: null, failedAttempts: 0 });
    expect(await days()).toContainEqual(expect.objectContaining({ day: dayAgo(1), chat: 7 }));
  });
});
