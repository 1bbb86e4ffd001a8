import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, type MockInstance, vi } from 'vitest';
import { finished } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import {
  pipelineOf,
  commitWithoutFlush,
  DatabaseService,
  commitWith,
} from '../src/platform/database/database.service.js';
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

  it('asks for what is asked for at once in one round trip, its beginning and its commit with it', async () => {
    const answers = await database().tenant({ tenantId }, (tx) =>
      commitWith(tx, async () => {
        const line = await pipelineOf(tx);
        const tenant = {
          name: 'test-tenant',
          text: "select current_setting('app.tenant') as tenant, pg_backend_pid() as pid",
        };
        return Promise.all([line.query(tenant), line.query(number(1)), line.query(note(1)), line.query(number(2))]);
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

  it('commits with what is last, not with what was under way when that was said', async () => {
    await database().tenant({ tenantId }, async (tx) => {
      const line = await pipelineOf(tx);
      await Promise.all([tx.query('select 1'), line.query(number(1))]);
      await commitWith(tx, () => line.query(note(1)));
    });
    expect(await noted()).toEqual([1]);
  });

  it('that fails has done nothing, and tells everybody who asked', async () => {
    const asked = database().tenant({ tenantId }, (tx) =>
      commitWith(tx, async () => {
        const line = await pipelineOf(tx);
        return Promise.allSettled([line.query(note(1)), line.query(refused), line.query(number(1))]).then((answers) => {
          expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
          throw new Error('as told');
        });
      }),
    );
    await expect(asked).rejects.toThrow('as told');
    expect(await noted()).toEqual([]);
  });

  it('leaves a connection that knows what it knew, and no more', async () => {
    const fails = { name: 'test-later', text: 'select $1::int + 1 as n', values: [1] };
    for (let time = 0; time < 30; time++) {
      const together = (statements: pg.QueryConfig[]) =>
        database().tenant({ tenantId }, async (tx) => {
          const line = await pipelineOf(tx);
          return Promise.all(statements.map((statement) => line.query(statement)));
        });
      await expect(together([refused, fails])).rejects.toThrow('division by zero');
      const [{ rows }] = await together([fails]);
      expect(rows).toEqual([{ n: 2 }]);
    }
  });

  it('is not committed where its commit is refused', async () => {
    await owner.query('insert into notes values (1)');
    const twice = database().tenant({ tenantId }, (tx) =>
      commitWith(tx, async () => (await pipelineOf(tx)).query(note(1))),
    );
    await expect(twice).rejects.toMatchObject({ code: '23505' });
    expect(await noted()).toEqual([1]);
  });

  it('is not committed where something of it cannot be sent', async () => {
    const circle: Record<string, unknown> = {};
    circle.circle = circle;
    const unsent = { name: 'test-unsent', text: 'select $1::jsonb', values: [circle] };
    const asked = database().tenant({ tenantId }, (tx) =>
      commitWith(tx, async () => {
        const line = await pipelineOf(tx);
        return Promise.all([line.query(note(1)), line.query(unsent)]);
      }),
    );
    await expect(asked).rejects.toThrow('circular');
    await expect(
      database().tenant({ tenantId }, async (tx) => (await pipelineOf(tx)).query(number(1))),
    ).resolves.toBeDefined();
    expect(await noted()).toEqual([]);
  });

  it('does not pass for committed where what was refused was passed over', async () => {
    const asked = database().tenant({ tenantId }, async (tx) => {
      const line = await pipelineOf(tx);
      await line.query(note(1));
      await expect(line.query(refused)).rejects.toMatchObject({ code: '22012' });
    });
    await expect(asked).rejects.toThrow('nothing was committed');
    expect(await noted()).toEqual([]);
  });

  it('tells everybody when its connection dies in the middle, and the next one has another', async () => {
    const dies = { name: 'test-dies', text: 'select pg_sleep(25)' };
    const kill = "select pg_terminate_backend(pid) from pg_stat_activity where query = $1 and state = 'active'";
    const together = (...statements: pg.QueryConfig[]) =>
      database().tenant({ tenantId }, (tx) =>
        commitWith(tx, async () => {
          const line = await pipelineOf(tx);
          return Promise.allSettled(statements.map((statement) => line.query(statement))).then((answers) => {
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
    ['a zero', 'a\0b', '22021'],
    ['a number that is none', 'x', '22P02'],
    ['more than fits', '9'.repeat(30), '22003'],
  ])('refuses a value with %s, and goes on with the same connection', async (_, value, code) => {
    const pid = { name: 'test-pid', text: 'select pg_backend_pid() as pid' };
    const strange = { name: 'test-number', text: number(1).text, values: [value] };
    await server.app.get(BulkDatabaseService).use(async (own) => {
      const together = (...statements: pg.QueryConfig[]) =>
        own.tenant({ tenantId }, async (tx) => {
          const line = await pipelineOf(tx);
          return Promise.all(statements.map((statement) => line.query(statement)));
        });
      const [before] = await together(pid);
      await expect(together(note(1), strange, pid)).rejects.toMatchObject({ code });
      const [after, two] = await together(pid, number(2));
      expect([after.rows, two.rows]).toEqual([before.rows, [{ n: 2 }]]);
    });
    expect(await noted()).toEqual([]);
  });

  it('that takes too long is ended, with all that was asked for in it', async () => {
    const soon = { name: 'test-soon', text: "select set_config('statement_timeout', '50', true)" };
    const long = { name: 'test-long', text: 'select pg_sleep(20)' };
    const asked = database().tenant({ tenantId }, async (tx) => {
      const line = await pipelineOf(tx);
      await line.query(soon);
      return Promise.all([line.query(note(1)), line.query(long), line.query(number(1))]);
    });
    await expect(asked).rejects.toMatchObject({ code: '57014' });
    expect(await noted()).toEqual([]);
  });

  it('leaves what is copied in to a connection of its own, and goes on there', async () => {
    await server.app.get(BulkDatabaseService).use(async (own) => {
      await own.client.query('create temporary table lines (id int)');
      await own.client.query('grant select on lines to public');
      const copied = own.client.query(copyFrom('copy lines from stdin'));
      copied.end('1\n2\n');
      await finished(copied);
      await own.tenant({ tenantId }, async (tx) => {
        const line = await pipelineOf(tx);
        const count = { name: 'test-lines', text: 'select count(*)::int as n from lines' };
        const [{ rows }] = await Promise.all([line.query(count), line.query(note(1))]);
        expect(rows).toEqual([{ n: 2 }]);
      });
    });
    expect(await noted()).toEqual([1]);
  });

  it('asks for nothing once it is over', async () => {
    let late: Promise<unknown> | undefined;
    const asked = database().tenant({ tenantId }, async (tx) => {
      late = (await pipelineOf(tx)).query(note(1));
      late.catch(() => undefined);
      throw new Error('given up');
    });
    await expect(asked).rejects.toThrow('given up');
    await expect(late).rejects.toThrow('the transaction has ended');
    await database().tenant({ tenantId }, async (tx) => (await pipelineOf(tx)).query(number(1)));
    expect(await noted()).toEqual([]);
  });

  it('keeps the order of what goes by another way', async () => {
    await database().tenant({ tenantId }, async (tx) => {
      const line = await pipelineOf(tx);
      const [first, second, third] = [
        line.query(note(1)),
        tx.query('select count(*)::int from notes'),
        line.query(note(2)),
      ];
      await Promise.all([first, third]);
      expect(await second).toEqual([{ count: expect.any(Number) }]);
    });
    expect(await noted()).toEqual([1, 2]);
  });

  it('is flushed with the next one, where it need not be at once', async () => {
    const source = { name: 'test-flush', text: "select source from pg_settings where name = 'synchronous_commit'" };
    const own = await database().tenant({ tenantId }, async (tx) => {
      await commitWithoutFlush(tx);
      return (await pipelineOf(tx)).query(source);
    });
    expect(own.rows).toEqual([{ source: 'session' }]);
    const next = await database().tenant({ tenantId }, async (tx) => (await pipelineOf(tx)).query(source));
    expect(next.rows).not.toEqual([{ source: 'session' }]);
  });
});
