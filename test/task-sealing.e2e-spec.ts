import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../src/platform/crypto/ids.js';
import { TaskContentService } from '../src/tasks/task-content.service.js';
import type { TaskStatus } from '../src/tasks/task.entity.js';
import { GateFixture } from './kit/gate-fixture.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import { type TestServer, testServer } from './kit/server.js';
import { decideApproval, newTaskId, type Wire, wireOf } from './kit/wire.js';
import { Workplace } from './kit/workplace.js';

/** The tables that contain a word in clear, in any column, including binary ones. */
async function tablesWith(owner: pg.Client, word: string): Promise<string[]> {
  const { rows: tables } = await owner.query<{ name: string }>(
    `select quote_ident(schemaname) || '.' || quote_ident(tablename) as name from pg_tables
     where schemaname not in ('pg_catalog', 'information_schema') order by 1`,
  );
  const found: string[] = [];
  const hex = Buffer.from(word).toString('hex');
  for (const { name } of tables) {
    const { rowCount } = await owner.query(
      `select 1 from ${name} t where strpos(t::text, $1) > 0 or strpos(t::text, $2) > 0 limit 1`,
      [word, hex],
    );
    if (rowCount) found.push(name);
  }
  return found;
}

describe('the content of a task', () => {
  let server: TestServer;
  let workplace: Workplace;
  let fixture: GateFixture;
  let wire: Wire;
  let owner: pg.Client;
  beforeAll(async () => {
    server = await testServer();
    workplace = await Workplace.start();
    fixture = await GateFixture.create(server, workplace);
    wire = wireOf(fixture, server.url);
    owner = new pg.Client(server.databaseUrl);
    await owner.connect();
  });
  afterAll(async () => {
    await owner.end();
    await server.close();
    await workplace.stop();
  });

  it('is never stored in clear: message, arguments, result, artifact, and a call that waits for approval', async () => {
    const word = 'canary7319word';
    const waiting = newTaskId();
    await wire.send(waiting, { tool: 'workplace__create_ticket', arguments: { title: word } });
    const { status } = await wire.until(waiting, 'input-required');
    expect(await tablesWith(owner, word)).toEqual([]);
    const browser = await fixture.organization.browser(fixture.reviewer);
    await decideApproval(browser, status.metadata!.approvalId!, 'approve');
    const done = await wire.until(waiting, 'completed');
    expect(JSON.stringify(done.artifacts)).toContain(word);
    const read = newTaskId();
    await wire.send(read, { tool: 'workplace__list_tickets', arguments: {} });
    expect(JSON.stringify((await wire.until(read, 'completed')).artifacts)).toContain(word);
    expect(await tablesWith(owner, word)).toEqual([]);
  });

  it('is rejected by the database if it is written in clear', async () => {
    const { rows } = await owner.query<{ tenant_id: string; id: string }>('select tenant_id, id from tasks limit 1');
    const key = [rows[0].tenant_id, rows[0].id];
    await expect(
      owner.query(
        `insert into task_items (tenant_id, task_id, position, kind, body, at) values ($1, $2, 99, 'turn', '{}', now())`,
        key,
      ),
    ).rejects.toMatchObject({ code: '23514' });
    await expect(
      owner.query(
        `insert into task_events (tenant_id, task_id, number, status, at)
         values ($1, $2, 99, '{"state": "working", "message": {"parts": []}}', now())`,
        key,
      ),
    ).rejects.toMatchObject({ code: '23514' });
  });

  it('cannot be opened for another task', async () => {
    const content = server.app.get(TaskContentService);
    const sealed = content.sealItem(newId(), { kind: 'message', body: '{}' });
    expect(() => content.openItem(newId(), sealed)).toThrow();
    const [one, other] = [newId(), newId()];
    const turn = content.sealItem(one, { kind: 'turn', body: '{}' });
    expect(() => content.openItem(one, { ...turn, kind: 'result' })).toThrow();
    const status = content.sealStatus(one, {
      state: 'failed',
      timestamp: 'now',
      error: { code: 'x', detail: 'secret' },
    });
    expect(JSON.stringify(status)).not.toContain('secret');
    expect(() => content.openStatus(other, status)).toThrow();
  });

  it('is sealed exactly once, even if its text looks sealed', () => {
    const content = server.app.get(TaskContentService);
    const id = newId();
    const artifacts = [
      { artifactId: '1', name: 'answer', description: 'sealed:AAAA', parts: [{ text: 'sealed:AAAA' }] },
    ];
    const sealed = content.sealArtifacts(id, artifacts);
    expect(JSON.stringify(sealed)).not.toContain('sealed:AAAA');
    expect(content.openArtifacts(id, content.sealArtifacts(id, sealed))).toEqual(artifacts);
  });
});

describe('task content of earlier versions in clear', () => {
  let server: TestServer;
  let owner: pg.Client;
  let first: ServerProcess;
  beforeAll(async () => {
    server = await testServer({ ROLE: 'web' });
    owner = new pg.Client(server.databaseUrl);
    await owner.connect();
  });
  afterAll(async () => {
    await owner.end();
    await server.close();
  });

  const count = 1200;
  const word = 'clear4711word';
  const status: TaskStatus = {
    state: 'input-required',
    timestamp: '2026-11-01T00:00:00.000Z',
    message: { role: 'agent', parts: [{ text: `${word} which?` }] },
    metadata: { reason: 'information', missing: [`${word} title`], callId: newId() },
  };
  const artifacts = [
    {
      artifactId: 'a',
      name: 'answer',
      description: `sealed:${word}`,
      parts: [{ text: word }, { data: { [word]: 1 } }],
    },
  ];
  const chunk = { artifactId: 'a', parts: [{ text: word }], append: false, lastChunk: false };
  const body = (nth: number) => JSON.stringify({ parts: [{ text: `${word} ${nth}` }] });
  const tenantId = newId();
  const taskIds = Array.from({ length: count }, () => newId());
  const sealedRows = async () =>
    (await owner.query<{ sealed: number }>(`select count(*)::int as sealed from task_items where left(body, 1) <> '{'`))
      .rows[0].sealed;
  const isDone = async () => !(await owner.query('select 1 from task_sealing where done_at is null')).rowCount;
  async function until(condition: () => Promise<boolean>): Promise<void> {
    for (let look = 0; look < 1500; look += 1) {
      if (await condition()) return;
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
    throw new Error('condition not reached');
  }

  it('is sealed in the background; a killed process loses nothing, and the next one continues', async () => {
    await owner.query('alter table task_items drop constraint task_items_sealed');
    await owner.query('alter table task_events drop constraint task_events_sealed');
    await owner.query(
      `insert into tasks (tenant_id, id, owner_id, external_id, configuration_id, key_id, principal, state, status, artifacts,
                          last_event, items, turns, is_tainted, waiting, is_woken, lease_epoch, attempts, worked_ms, created_at, updated_at)
       select $1, id, $1, id, $1, $1, '{}', 'input-required', $3, $4, 1, 1, 0, false, 'information', false, 0, 0, 0, now(), now()
       from unnest($2::uuid[]) as t(id)`,
      [tenantId, taskIds, JSON.stringify(status), JSON.stringify(artifacts)],
    );
    await owner.query(
      `insert into task_items (tenant_id, task_id, position, kind, body, at)
       select $1, t.id, 1, 'message', t.body, now() from unnest($2::uuid[], $3::text[]) as t(id, body)`,
      [tenantId, taskIds, taskIds.map((_, nth) => body(nth))],
    );
    await owner.query(
      `insert into task_events (tenant_id, task_id, number, status, chunk, at)
       select $1, id, 1, $3, $4, now() from unnest($2::uuid[]) as t(id)`,
      [tenantId, taskIds, JSON.stringify(status), JSON.stringify(chunk)],
    );
    // slow enough to be killed between two batches
    await owner.query(`
      create function linger() returns trigger language plpgsql as $$ begin perform pg_sleep(0.004); return new; end $$`);
    await owner.query('create trigger linger before update on task_items for each row execute function linger()');

    first = await serverProcess(server.databaseUrl);
    await until(async () => (await sealedRows()) > 0);
    await first.kill('SIGKILL');
    const sealed = await sealedRows();
    expect(sealed).toBeGreaterThan(0);
    expect(sealed).toBeLessThan(count);

    await owner.query('drop trigger linger on task_items');
    const second = await serverProcess(server.databaseUrl);
    await until(isDone);
    await second.kill('SIGTERM');
    expect(await tablesWith(owner, word)).toEqual([]);

    const content = server.app.get(TaskContentService);
    const items = await owner.query<{ task_id: string; body: string }>('select task_id, body from task_items');
    expect(
      items.rows.map(({ task_id: id, body }) => content.openItem(id, { kind: 'message', body }).body).toSorted(),
    ).toEqual(taskIds.map((_, nth) => body(nth)).toSorted());
    const tasks = await owner.query<{ id: string; status: TaskStatus; artifacts: typeof artifacts }>(
      'select id, status, artifacts from tasks',
    );
    for (const row of tasks.rows) expect(content.openRow(row.id, row)).toEqual({ id: row.id, status, artifacts });
    const events = await owner.query<{ task_id: string; status: TaskStatus; chunk: typeof chunk }>(
      'select task_id, status, chunk from task_events',
    );
    for (const row of events.rows)
      expect(content.openRow(row.task_id, { ...row, artifacts: null })).toMatchObject({ status, chunk });
    expect([items.rowCount, tasks.rowCount, events.rowCount]).toEqual([count, count, count]);
  });
});
