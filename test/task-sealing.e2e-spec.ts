import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { newId } from '../src/platform/crypto/ids.js';
import { TaskContentService } from '../src/tasks/task-content.service.js';
import { GateFixture } from './kit/gate-fixture.js';
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

  describe('that cannot be opened', () => {
    let damaged: string;
    let sound: string;
    const damage = `jsonb_set(status::jsonb, '{sealed}', '"AAAA"')::json`;

    beforeEach(async () => {
      [damaged, sound] = [newTaskId(), newTaskId()];
      for (const id of [damaged, sound]) {
        await wire.send(id, { tool: 'workplace__create_ticket', arguments: { title: id } });
        await wire.until(id, 'input-required');
      }
    });

    it('stops only the streams of its own task', async () => {
      const taskId = 'select id from tasks where external_id = $1';
      await owner.query(
        `update task_events set status = ${damage} where task_id = (${taskId}) and status::jsonb ? 'sealed'`,
        [damaged],
      );
      const { rows } = await owner.query<{ number: number }>(
        'select last_event as number from tasks where external_id = $1',
        [sound],
      );
      const streams = [await wire.events(damaged, 0), await wire.events(sound, rows[0].number)];
      // written like by another process: this one reads it, together with the events of all other streams
      await owner.query(
        `with changed as (update tasks set last_event = last_event + 1 where external_id = $1 returning *)
         insert into task_events (tenant_id, task_id, number, status, at)
         select tenant_id, id, last_event, '{"state": "working", "timestamp": "2026-11-27T05:00:00.000Z"}', now() from changed`,
        [sound],
      );
      await streams[1].until('working');
      for (const stream of streams) stream.close();
    });

    it('delays only its own task', async () => {
      // one statement, so that one claim takes both tasks
      await owner.query(
        `update tasks set due_at = now(), status = case external_id when $1 then ${damage} else status end
         where external_id in ($1, $2)`,
        [damaged, sound],
      );
      const isReleased = async (id: string, condition: string) => {
        const { rowCount } = await owner.query(
          `select 1 from tasks where external_id = $1 and not is_claimed and ${condition}`,
          [id],
        );
        return rowCount === 1;
      };
      await expect.poll(() => isReleased(damaged, 'attempts > 0')).toBe(true);
      await expect.poll(() => isReleased(sound, `waiting = 'approval' and due_at > now()`)).toBe(true);
    });
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
