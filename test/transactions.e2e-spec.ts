import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { BulkDatabaseService } from '../src/platform/database/bulk-database.service.js';
import { newId } from '../src/platform/crypto/ids.js';
import { type TestServer, testServer } from './kit/server.js';

let server: TestServer;
let owner: pg.Client;
const database = () => server.app.get(DatabaseService);
const tenantId = newId();

beforeAll(async () => {
  server = await testServer();
  owner = new pg.Client(server.databaseUrl);
  await owner.connect();
  await owner.query('create table notes (id int primary key deferrable initially deferred)');
  await owner.query('grant select, insert on notes to cs_app, cs_bulk');
});
afterAll(async () => {
  await owner.end();
  await server.close();
});

const number = (n: number) => ({ name: 'test-number', text: 'select $1::int as n', values: [n] });
const note = (id: number) => ({ name: 'test-note', text: 'insert into notes values ($1)', values: [id] });
const refused = { name: 'test-refused', text: 'select 1 / $1::int', values: [0] };
const noted = async () => (await owner.query<{ id: number }>('select id from notes')).rows.map(({ id }) => id);

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
        const pipeline = await pipelineOf(tx);
        const tenant = {
          name: 'test-tenant',
          text: "select current_setting('app.tenant') as tenant, pg_backend_pid() as pid",
        };
        return Promise.all([
          pipeline.query(tenant),
          pipeline.query(number(1)),
          pipeline.query(note(1)),
          pipeline.query(number(2)),
        ]);
      }),
    );
    expect(answers.map(({ rows }) => rows)).toEqual([
      [{ tenant: tenantId, pid: expect.any(Number) }],
      [{ n: 1 }],
      [],
      [{ n: 2 }],
    ]);
    const { pid } = answers[0].rows[0] as { pid: number };
    expect(sent.mock.contexts.filter((one) => (one as { processID?: number }).processID === pid)).toHaveLength(1);
    expect(await noted()).toEqual([1]);
  });

  it('commits with the last batch, not with a batch that was already in flight', async () => {
    await database().tenant({ tenantId }, async (tx) => {
      const pipeline = await pipelineOf(tx);
      await Promise.all([tx.query('select 1'), pipeline.query(number(1))]);
      await tx.commitWith(() => pipeline.query(note(1)));
    });
    expect(await noted()).toEqual([1]);
  });

  it('has no effect if a statement fails, and rejects all statements of the batch', async () => {
    const failed = database().tenant({ tenantId }, (tx) =>
      tx.commitWith(async () => {
        const pipeline = await pipelineOf(tx);
        return Promise.allSettled([pipeline.query(note(1)), pipeline.query(refused), pipeline.query(number(1))]).then(
          (answers) => {
            expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
            throw new Error('on purpose');
          },
        );
      }),
    );
    await expect(failed).rejects.toThrow('on purpose');
    expect(await noted()).toEqual([]);
  });

  it('leaves the prepared statements of the connection consistent after a failure', async () => {
    const fails = { name: 'test-later', text: 'select $1::int + 1 as n', values: [1] };
    for (let time = 0; time < 30; time++) {
      const together = (statements: pg.QueryConfig[]) =>
        database().tenant({ tenantId }, async (tx) => {
          const pipeline = await pipelineOf(tx);
          return Promise.all(statements.map((statement) => pipeline.query(statement)));
        });
      await expect(together([refused, fails])).rejects.toThrow('division by zero');
      const [{ rows }] = await together([fails]);
      expect(rows).toEqual([{ n: 2 }]);
    }
  });

  it('rejects if the commit fails', async () => {
    await owner.query('insert into notes values (1)');
    const twice = database().tenant({ tenantId }, (tx) =>
      tx.commitWith(async () => (await pipelineOf(tx)).query(note(1))),
    );
    await expect(twice).rejects.toMatchObject({ code: '23505' });
    expect(await noted()).toEqual([1]);
  });

  it('does not commit if a statement cannot be sent', async () => {
    const circle: Record<string, unknown> = {};
    circle.circle = circle;
    const unsent = { name: 'test-unsent', text: 'select $1::jsonb', values: [circle] };
    const asked = database().tenant({ tenantId }, (tx) =>
      tx.commitWith(async () => {
        const pipeline = await pipelineOf(tx);
        return Promise.all([pipeline.query(note(1)), pipeline.query(unsent)]);
      }),
    );
    await expect(asked).rejects.toThrow('circular');
    await expect(
      database().tenant({ tenantId }, async (tx) => (await pipelineOf(tx)).query(number(1))),
    ).resolves.toBeDefined();
    expect(await noted()).toEqual([]);
  });

  it('rejects the commit if the caller ignored a failed statement', async () => {
    const asked = database().tenant({ tenantId }, async (tx) => {
      const pipeline = await pipelineOf(tx);
      await pipeline.query(note(1));
      await expect(pipeline.query(refused)).rejects.toMatchObject({ code: '22012' });
    });
    await expect(asked).rejects.toThrow('nothing was committed');
    expect(await noted()).toEqual([]);
  });

  it('rejects all statements if its connection is lost, and the next transaction uses another connection', async () => {
    const dies = { name: 'test-dies', text: 'select pg_sleep(25)' };
    const kill = "select pg_terminate_backend(pid) from pg_stat_activity where query = $1 and state = 'active'";
    const together = (...statements: pg.QueryConfig[]) =>
      database().tenant({ tenantId }, (tx) =>
        tx.commitWith(async () => {
          const pipeline = await pipelineOf(tx);
          return Promise.allSettled(statements.map((statement) => pipeline.query(statement))).then((answers) => {
            expect(answers.map(({ status }) => status)).toEqual(statements.map(() => 'rejected'));
            throw (answers[0] as PromiseRejectedResult).reason;
          });
        }),
      );
    const asked = expect(together(note(1), dies, note(2))).rejects.toMatchObject({ code: '57P01' });
    while (!(await owner.query(kill, [dies.text])).rowCount);
    await asked;
    const next = await database().tenant({ tenantId }, async (tx) => (await pipelineOf(tx)).query(number(1)));
    expect(next.rows).toEqual([{ n: 1 }]);
    expect(await noted()).toEqual([]);
  });

  it.each<[string, unknown, string]>([
    ['contains NUL', 'a\0b', '22021'],
    ['is not a number', 'x', '22P02'],
    ['is out of range', '9'.repeat(30), '22003'],
  ])('rejects a value that %s, and the connection stays usable', async (_, value, code) => {
    const pid = { name: 'test-pid', text: 'select pg_backend_pid() as pid' };
    const strange = { name: 'test-number', text: number(1).text, values: [value] };
    await server.app.get(BulkDatabaseService).use(async (own) => {
      const together = (...statements: pg.QueryConfig[]) =>
        own.tenant({ tenantId }, async (tx) => {
          const pipeline = await pipelineOf(tx);
          return Promise.all(statements.map((statement) => pipeline.query(statement)));
        });
      const [before] = await together(pid);
      await expect(together(note(1), strange, pid)).rejects.toMatchObject({ code });
      const [after, two] = await together(pid, number(2));
      expect([after.rows, two.rows]).toEqual([before.rows, [{ n: 2 }]]);
    });
    expect(await noted()).toEqual([]);
  });

  it('is aborted with all its statements if one exceeds the statement timeout', async () => {
    const soon = { name: 'test-soon', text: "select set_config('statement_timeout', '50', true)" };
    const long = { name: 'test-long', text: 'select pg_sleep(20)' };
    const asked = database().tenant({ tenantId }, async (tx) => {
      const pipeline = await pipelineOf(tx);
      await pipeline.query(soon);
      return Promise.all([pipeline.query(note(1)), pipeline.query(long), pipeline.query(number(1))]);
    });
    await expect(asked).rejects.toMatchObject({ code: '57014' });
    expect(await noted()).toEqual([]);
  });

  it('works on a bulk connection after a COPY into a temporary table', async () => {
    await server.app.get(BulkDatabaseService).use(async (own) => {
      await own.client.query('create temporary table lines (id int)');
      await own.client.query('grant select on lines to public');
      const copied = own.client.query(copyFrom('copy lines from stdin'));
      copied.end('1\n2\n');
      await finished(copied);
      await own.tenant({ tenantId }, async (tx) => {
        const pipeline = await pipelineOf(tx);
        const count = { name: 'test-lines', text: 'select count(*)::int as n from lines' };
        const [{ rows }] = await Promise.all([pipeline.query(count), pipeline.query(note(1))]);
        expect(rows).toEqual([{ n: 2 }]);
      });
    });
    expect(await noted()).toEqual([1]);
  });

  it('sends no statements after it has ended', async () => {
    let late: Promise<unknown> | undefined;
    const failed = database().tenant({ tenantId }, async (tx) => {
      late = (await pipelineOf(tx)).query(note(1));
      late.catch(() => undefined);
      throw new Error('on purpose');
    });
    await expect(failed).rejects.toThrow('on purpose');
    await expect(late).rejects.toThrow('the transaction has ended');
    await database().tenant({ tenantId }, async (tx) => (await pipelineOf(tx)).query(number(1)));
    expect(await noted()).toEqual([]);
  });

  it('preserves the order of pipelined and TypeORM statements', async () => {
    await database().tenant({ tenantId }, async (tx) => {
      const pipeline = await pipelineOf(tx);
      const [first, second, third] = [
        pipeline.query(note(1)),
        tx.query('select count(*)::int from notes'),
        pipeline.query(note(2)),
      ];
      await Promise.all([first, third]);
      expect(await second).toEqual([{ count: expect.any(Number) }]);
    });
    expect(await noted()).toEqual([1, 2]);
  });

  it('can commit without a flush, for this transaction only', async () => {
    const source = { name: 'test-flush', text: "select source from pg_settings where name = 'synchronous_commit'" };
    const own = await database().tenant({ tenantId }, async (tx) => {
      await tx.commitWithoutFlush();
      return (await pipelineOf(tx)).query(source);
    });
    expect(own.rows).toEqual([{ source: 'session' }]);
    const next = await database().tenant({ tenantId }, async (tx) => (await pipelineOf(tx)).query(source));
    expect(next.rows).not.toEqual([{ source: 'session' }]);
  });
});
