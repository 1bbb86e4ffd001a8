import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { Tenant } from '../src/access/tenant.entity.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { BulkDatabaseService } from '../src/platform/database/bulk-database.service.js';
import { statement } from '../src/platform/database/statement.js';
import type { Tx } from '../src/platform/database/tx.js';
import { newId } from '../src/platform/crypto/ids.js';
import { secureTenantTable } from '../src/platform/database/tenant-table.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let owner: pg.Client;
const database = () => server.app.get(DatabaseService);
const tenantId = newId();
const otherTenantId = newId();

beforeAll(async () => {
  server = await testServer();
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
  await owner.query('create table notes (id int primary key deferrable initially deferred)');
  await owner.query('grant select, insert on notes to cs_app, cs_bulk');
  await owner.query('create table memos (tenant_id uuid not null, text text not null)');
  await owner.query("insert into memos values ($1, 'own'), ($2, 'other')", [tenantId, otherTenantId]);
  await owner.query(secureTenantTable('memos'));
});
afterAll(async () => {
  await owner.end();
  await server.close();
});

const number = statement<[n: number], { n: number }>('select $1::int as n', { name: 'test-number' });
const note = statement<[id: number]>('insert into notes values ($1)', { name: 'test-note' });
const refused = statement<[divisor: number]>('select 1 / $1::int', { name: 'test-refused' });
const tenantSetting = statement<[], { tenantId: string }>(`select current_setting('app.tenant', true) as "tenantId"`);
const backend = statement<[], { pid: number }>('select pg_backend_pid() as pid');
const noted = async () => (await owner.query<{ id: number }>('select id from notes')).rows.map(({ id }) => id);

describe('a transaction that reads', () => {
  it('returns its result without waiting for its end', async () => {
    const end = Promise.withResolvers<void>();
    const query = pg.Client.prototype.query as (...args: unknown[]) => Promise<unknown>;
    function holdCommits(this: pg.Client, ...args: unknown[]): Promise<unknown> {
      return args[0] === 'commit' ? end.promise.then(() => query.apply(this, args)) : query.apply(this, args);
    }
    const held = vi.spyOn(pg.Client.prototype, 'query').mockImplementation(holdCommits as never);
    try {
      // methods of entities need BEGIN and COMMIT
      await expect(database().read({ tenantId }, (tx) => tx.countBy(Tenant, { id: tenantId }))).resolves.toBe(0);
    } finally {
      end.resolve();
      held.mockRestore();
    }
  });

  it('needs one round trip for statements that are issued together', async () => {
    const sent = vi.spyOn(pg.Client.prototype, 'query');
    const [[{ pid }], ...answers] = await database().read({ tenantId }, (tx) =>
      Promise.all([tx.run(backend), tx.run(number, [1]), tx.run(tenantSetting)]),
    );
    const ownConnection = sent.mock.contexts.filter((one) => (one as { processID?: number }).processID === pid);
    sent.mockRestore();
    expect(answers).toEqual([[{ n: 1 }], [{ tenantId }]]);
    expect(ownConnection).toHaveLength(1);
  });

  it('sees the rows of its tenant in every statement, and leaves nothing on the connection', async () => {
    await database().read({ tenantId }, async (tx) => {
      expect(await tx.run(tenantSetting)).toEqual([{ tenantId }]);
      expect(await tx.run(tenantSetting)).toEqual([{ tenantId }]);
      expect(await tx.countBy(Tenant, { id: tenantId })).toBe(0);
      expect(await tx.run(tenantSetting)).toEqual([{ tenantId }]);
    });
    expect(await database().appPool.one(tenantSetting)).toEqual({ tenantId: '' });
  });

  it('cannot write', async () => {
    await expect(database().read({ tenantId }, (tx) => tx.run(note, [1]))).rejects.toThrow('read-only transaction');
    const afterEntities = database().read({ tenantId }, async (tx) => {
      await tx.countBy(Tenant, { id: tenantId });
      await tx.run(note, [1]);
    });
    await expect(afterEntities).rejects.toThrow('read-only transaction');
    expect(await noted()).toEqual([]);
  });

  it('cannot become a transaction that writes', async () => {
    const allowWrites = statement("select set_config('transaction_read_only', 'off', true)");
    const together = database().read({ tenantId }, (tx) => Promise.all([tx.run(allowWrites), tx.run(note, [1])]));
    await expect(together).rejects.toMatchObject({ code: '25001' });
    const later = database().read({ tenantId }, async (tx) => {
      await tx.run(number, [1]);
      await tx.run(allowWrites);
    });
    await expect(later).rejects.toMatchObject({ code: '25001' });
    expect(await noted()).toEqual([]);
  });

  it('sees only the rows of its tenant, even after a failed batch and during reads of other tenants', async () => {
    const memos = statement<[], { text: string }>('select text from memos', { name: 'test-memos' });
    const readTwice = (of: string) =>
      database().read({ tenantId: of }, async (tx) => {
        const first = await tx.run(memos);
        const failed = await Promise.allSettled([tx.run(memos), tx.run(refused, [0]), tx.run(memos)]);
        expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
        return [first, await tx.run(memos)];
      });
    const reads = Array.from({ length: 60 }, (_, nth) => readTwice(nth % 2 ? otherTenantId : tenantId));
    const texts = (await Promise.all(reads)).map((answers) => answers.map((rows) => rows.map(({ text }) => text)));
    expect(texts).toEqual(
      Array.from({ length: 60 }, (_, nth) => (nth % 2 ? [['other'], ['other']] : [['own'], ['own']])),
    );
    expect(await database().appPool.run(memos)).toEqual([]);
  });

  it('ends a batch that exceeds the statement timeout, and leaves no setting for the next one', async () => {
    const soon = statement("select set_config('statement_timeout', '50', true)", { name: 'test-read-soon' });
    const long = statement('select pg_sleep(20)', { name: 'test-read-long' });
    const timeout = statement<[], { timeout: string }>(`select current_setting('statement_timeout') as timeout`);
    const before = await database().read({ tenantId }, (tx) => tx.one(timeout));
    await database().read({ tenantId }, async (tx) => {
      const both = Promise.all([tx.run(soon), tx.run(long), tx.run(number, [1])]);
      await expect(both).rejects.toMatchObject({ code: '57014' });
      await tx.run(soon);
      expect(await tx.one(timeout)).toEqual(before);
    });
  });

  it('rejects the whole batch if the connection breaks, which does not return to the pool', async () => {
    const long = statement('select pg_sleep(60)', { name: 'test-read-broken' });
    const pids = await database().read({ tenantId }, async (tx) => {
      const [{ pid }] = await tx.run(backend);
      const batch = Promise.allSettled([tx.run(number, [1]), tx.run(long), tx.run(number, [2])]);
      await owner.query('select pg_terminate_backend($1)', [pid]);
      expect((await batch).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
      await expect(tx.run(number, [3])).rejects.toThrow();
      return [pid];
    });
    const later = Array.from({ length: 20 }, () => database().read({ tenantId }, (tx) => tx.run(backend)));
    for (const [{ pid }] of await Promise.all(later)) expect(pids).not.toContain(pid);
  });

  it('sends no statements after it has ended', async () => {
    let late: Promise<unknown> | undefined;
    const failed = database().read({ tenantId }, async (tx) => {
      await tx.run(number, [1]);
      late = tx.run(number, [2]);
      late.catch(() => undefined); // asserted below
      throw new Error('on purpose');
    });
    await expect(failed).rejects.toThrow('on purpose');
    await expect(late).rejects.toThrow('the transaction has ended');
  });

  it('rejects if it fails', async () => {
    const failing = database().read({ tenantId }, () => Promise.reject(new Error('on purpose')));
    await expect(failing).rejects.toThrow('on purpose');
    await expect(database().read({ tenantId }, (tx) => tx.run(refused, [0]))).rejects.toThrow('division by zero');
  });
});

describe('a transaction', () => {
  let sent: MockInstance<typeof pg.Client.prototype.query>;
  beforeEach(async () => {
    await owner.query('delete from notes');
    sent = vi.spyOn(pg.Client.prototype, 'query') as never;
  });
  afterEach(() => sent.mockRestore());

  it('sends concurrent statements in one round trip, together with BEGIN and COMMIT', async () => {
    const answers = await database().tenant({ tenantId }, (tx) =>
      tx.commitWith(async () => {
        const tenant = statement<[], { tenant: string; pid: number }>(
          "select current_setting('app.tenant') as tenant, pg_backend_pid() as pid",
          { name: 'test-tenant' },
        );
        return Promise.all([tx.run(tenant), tx.run(number, [1]), tx.run(note, [1]), tx.run(number, [2])]);
      }),
    );
    expect(answers).toEqual([[{ tenant: tenantId, pid: expect.any(Number) }], [{ n: 1 }], [], [{ n: 2 }]]);
    const [{ pid }] = answers[0];
    expect(sent.mock.contexts.filter((one) => (one as { processID?: number }).processID === pid)).toHaveLength(1);
    expect(await noted()).toEqual([1]);
  });

  it('commits with the last batch, not with a batch that was already in flight', async () => {
    await database().tenant({ tenantId }, async (tx) => {
      await Promise.all([tx.queryRunner!.query('select 1'), tx.run(number, [1])]);
      await tx.commitWith(() => tx.run(note, [1]));
    });
    expect(await noted()).toEqual([1]);
  });

  it('has no effect if a statement fails, and rejects all statements of the batch', async () => {
    const failed = database().tenant({ tenantId }, (tx) =>
      tx.commitWith(async () => {
        return Promise.allSettled([tx.run(note, [1]), tx.run(refused, [0]), tx.run(number, [1])]).then((answers) => {
          expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
          throw new Error('on purpose');
        });
      }),
    );
    await expect(failed).rejects.toThrow('on purpose');
    expect(await noted()).toEqual([]);
  });

  it('leaves the prepared statements of the connection consistent after a failure', async () => {
    const fails = statement<[n: number], { n: number }>('select $1::int + 1 as n', { name: 'test-later' });
    for (let time = 0; time < 30; time++) {
      const runFails = (tx: Tx) => tx.run(fails, [1]);
      const refusedFirst = database().tenant({ tenantId }, (tx) => Promise.all([tx.run(refused, [0]), runFails(tx)]));
      await expect(refusedFirst).rejects.toThrow('division by zero');
      await expect(database().tenant({ tenantId }, runFails)).resolves.toEqual([{ n: 2 }]);
    }
  });

  it('rejects if the commit fails', async () => {
    await owner.query('insert into notes values (1)');
    const twice = database().tenant({ tenantId }, (tx) => tx.commitWith(async () => tx.run(note, [1])));
    await expect(twice).rejects.toMatchObject({ code: '23505' });
    expect(await noted()).toEqual([1]);
  });

  it('does not commit if a statement cannot be sent', async () => {
    const circle: Record<string, unknown> = {};
    circle.circle = circle;
    const unsent = statement<[value: object]>('select $1::jsonb', { name: 'test-unsent' });
    const asked = database().tenant({ tenantId }, (tx) =>
      tx.commitWith(async () => {
        return Promise.all([tx.run(note, [1]), tx.run(unsent, [circle])]);
      }),
    );
    await expect(asked).rejects.toThrow('circular');
    await expect(database().tenant({ tenantId }, async (tx) => tx.run(number, [1]))).resolves.toBeDefined();
    expect(await noted()).toEqual([]);
  });

  it('rejects the commit if the caller ignored a failed statement', async () => {
    const asked = database().tenant({ tenantId }, async (tx) => {
      await tx.run(note, [1]);
      await expect(tx.run(refused, [0])).rejects.toMatchObject({ code: '22012' });
    });
    await expect(asked).rejects.toThrow('nothing was committed');
    expect(await noted()).toEqual([]);
  });

  it('rejects all statements if its connection is lost, and the next transaction uses another connection', async () => {
    const dies = statement('select pg_sleep(25)', { name: 'test-dies' });
    const kill = "select pg_terminate_backend(pid) from pg_stat_activity where query = $1 and state = 'active'";
    const together = database().tenant({ tenantId }, (tx) =>
      tx.commitWith(async () => {
        const answers = await Promise.allSettled([tx.run(note, [1]), tx.run(dies), tx.run(note, [2])]);
        expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
        throw (answers[0] as PromiseRejectedResult).reason;
      }),
    );
    const asked = expect(together).rejects.toMatchObject({ code: '57P01' });
    while (!(await owner.query(kill, [dies.text])).rowCount);
    await asked;
    const next = await database().tenant({ tenantId }, async (tx) => tx.run(number, [1]));
    expect(next).toEqual([{ n: 1 }]);
    expect(await noted()).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['contains NUL', 'a\0b', '22021'],
    ['is not a number', 'x', '22P02'],
    ['is out of range', '9'.repeat(30), '22003'],
  ])('rejects a value that %s, and the connection stays usable', async (_, value, code) => {
    const pid = statement<[], { pid: number }>('select pg_backend_pid() as pid', { name: 'test-pid' });
    const readPid = (tx: Tx) => tx.one(pid);
    await server.app.get(BulkDatabaseService).use(async (own) => {
      const before = await own.tenant({ tenantId }, readPid);
      const refusedValue = own.tenant({ tenantId }, (tx) =>
        Promise.all([tx.run(note, [1]), tx.run(number, [value as number]), readPid(tx)]),
      );
      await expect(refusedValue).rejects.toMatchObject({ code });
      const after = await own.tenant({ tenantId }, (tx) => Promise.all([readPid(tx), tx.one(number, [2])]));
      expect(after).toEqual([before, { n: 2 }]);
    });
    expect(await noted()).toEqual([]);
  });

  it('is aborted with all its statements if one exceeds the statement timeout', async () => {
    const soon = statement("select set_config('statement_timeout', '50', true)", { name: 'test-soon' });
    const long = statement('select pg_sleep(20)', { name: 'test-long' });
    const asked = database().tenant({ tenantId }, async (tx) => {
      await tx.run(soon);
      return Promise.all([tx.run(note, [1]), tx.run(long), tx.run(number, [1])]);
    });
    await expect(asked).rejects.toMatchObject({ code: '57014' });
    expect(await noted()).toEqual([]);
  });

  it('does not compile statements (JIT)', async () => {
    const setting = statement<[], { jit: string }>(`select current_setting('jit') as jit`);
    const tenant = { tenantId };
    expect(await database().tenant(tenant, (tx) => tx.run(setting))).toEqual([{ jit: 'off' }]);
    expect(await server.app.get(BulkDatabaseService).tenant(tenant, (tx) => tx.run(setting))).toEqual([{ jit: 'off' }]);
  });

  it('works on a bulk connection after a COPY into a temporary table', async () => {
    await server.app.get(BulkDatabaseService).use(async (own) => {
      await own.client.query('create temporary table lines (id int)');
      await own.client.query('grant select on lines to public');
      const copied = own.client.query(copyFrom('copy lines from stdin'));
      copied.end('1\n2\n');
      await finished(copied);
      await own.tenant({ tenantId }, async (tx) => {
        const count = statement<[], { n: number }>('select count(*)::int as n from lines', { name: 'test-lines' });
        const [rows] = await Promise.all([tx.run(count), tx.run(note, [1])]);
        expect(rows).toEqual([{ n: 2 }]);
      });
    });
    expect(await noted()).toEqual([1]);
  });

  it('sends no statements after it has ended', async () => {
    let late: Promise<unknown> | undefined;
    const failed = database().tenant({ tenantId }, async (tx) => {
      late = tx.run(note, [1]);
      late.catch(() => undefined);
      throw new Error('on purpose');
    });
    await expect(failed).rejects.toThrow('on purpose');
    await expect(late).rejects.toThrow('the transaction has ended');
    await database().tenant({ tenantId }, async (tx) => tx.run(number, [1]));
    expect(await noted()).toEqual([]);
  });

  it('runs pipelined and TypeORM statements that are issued together', async () => {
    await database().tenant({ tenantId }, async (tx) => {
      const [first, second, third] = [
        tx.run(note, [1]),
        tx.queryRunner!.query('select count(*)::int from notes'),
        tx.run(note, [2]),
      ];
      await Promise.all([first, third]);
      expect(await second).toEqual([{ count: expect.any(Number) }]);
    });
    expect(await noted()).toEqual([1, 2]);
  });

  it('can commit without a flush, for this transaction only', async () => {
    const source = statement<[], { source: string }>(
      "select source from pg_settings where name = 'synchronous_commit'",
      { name: 'test-flush' },
    );
    const own = await database().tenant({ tenantId }, async (tx) => {
      await tx.commitWithoutFlush();
      return tx.run(source);
    });
    expect(own).toEqual([{ source: 'session' }]);
    const next = await database().tenant({ tenantId }, async (tx) => tx.run(source));
    expect(next).not.toEqual([{ source: 'session' }]);
  });
});
