import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import pg from 'pg';
import { ApprovalInboxService } from '../src/approvals/approval-inbox.service.js';
import { ApprovalsService } from '../src/approvals/approvals.service.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import type { Principal } from '../src/principal/principal.js';
import { TaskQuarantineService } from '../src/tasks/task-quarantine.service.js';
import { ReadableTasksService } from '../src/tasks/readable-tasks.service.js';
import { GateFixture, sessionPrincipal } from './kit/gate-fixture.js';
import { serverProcess, type ServerProcess } from './kit/processes.js';
import { type TestServer, testServer } from './kit/server.js';
import { newTaskId, messageOf, type Wire, wireOf } from './kit/wire.js';
import { Workplace } from './kit/workplace.js';
import { runSql } from './kit/run-sql.js';

/*
 * Kills two processes on one database repeatedly while they work (`npm run chaos`: fifty times). Each accepted task has
 * to end, each reported effect has to have happened, and no effect may happen twice.
 */

const kills = Number(process.env.CHAOS_KILLS ?? 2);
const settings = {
  TASK_LEASE_SECONDS: '3',
  LIMIT_SENDS_PER_MINUTE: '100000',
  LIMIT_READS_PER_MINUTE: '1000000',
  LOG_LEVEL: 'error',
};
const options = { timeout: 600_000 + kills * 12_000 };

const policy = `
  @id("messages need a review") @approval("review")
  permit (principal, action == Action::"workplace__post_message", resource);
  @id("everything else") permit (principal, action, resource)
  unless { action == Action::"workplace__post_message" };`;

let server: TestServer; // serves the API and the decisions, runs no tasks, and is never killed
let workplace: Workplace;
let fixture: GateFixture;
let wire: Wire;
let reviewer: Principal;
beforeAll(async () => {
  server = await testServer({ ...settings, ROLE: 'web' });
  workplace = await Workplace.start();
  fixture = await GateFixture.create(server, workplace);
  await fixture.publish(policy);
  wire = wireOf(fixture, server.url);
  reviewer = await sessionPrincipal(server, fixture.organization, fixture.reviewer);
});
afterAll(async () => {
  await workplace.stop();
  await server.close();
});

const started: ServerProcess[] = [];
afterEach(() => Promise.all(started.splice(0).map((one) => one.kill())));
async function start(more: Record<string, string> = settings): Promise<ServerProcess> {
  const one = await serverProcess(server.databaseUrl, more);
  started.push(one);
  return one;
}
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const between = (least: number, most: number) => least + Math.random() * (most - least);

interface Sent {
  id: string;
  text: string;
  tool: 'create_ticket' | 'post_message' | 'list_channels';
}

/** Calls that wait for an approval. The gate denies more than 20 of one caller, and deciding is slow on a busy machine. */
let undecided = 0;

/** Creates one of three kinds of tasks: a write, a write with approval, or a read. */
function another(): Sent & { call: object } {
  const id = newTaskId();
  const text = `chaos ${id}`;
  const sort = Math.random();
  if (sort < 0.5)
    return { id, text, tool: 'create_ticket', call: { tool: 'workplace__create_ticket', arguments: { title: text } } };
  if (sort < 0.8 && undecided < 15) {
    undecided++;
    return {
      id,
      text,
      tool: 'post_message',
      call: { tool: 'workplace__post_message', arguments: { channel: 'moss', text } },
    };
  }
  return { id, text, tool: 'list_channels', call: { tool: 'workplace__list_channels', arguments: {} } };
}

/** Sends a task and, without a response, sends it again to any live process. */
async function accepted(processes: ServerProcess[], { id, call }: { id: string; call: object }): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const alive = processes.filter((one) => one.isAlive());
    const at = alive[Math.floor(Math.random() * alive.length)]?.url ?? server.url;
    try {
      const response = await wireOf(fixture, attempt > 3 ? server.url : at).call(
        'POST',
        '/tasks/send',
        messageOf(id, [call]),
      );
      expect([id, response.status]).toEqual([id, 200]);
      return;
    } catch (error) {
      if (!['TypeError', 'SyntaxError'].includes((error as Error).name)) throw error; // the connection or the response broke
      await sleep(50);
    }
  }
}

async function decideAll(): Promise<void> {
  const approvals = server.app.get(ApprovalsService);
  const { nodes } = await server.app.get(ApprovalInboxService).list(reviewer, { first: 200 }, { state: 'pending' });
  for (const { id } of nodes) {
    await approvals.decide(reviewer, id, 'approve').catch(ignoreConflict);
    undecided--;
  }
}
/**
 * A task that two consecutive kills hit at the same step waits for an administrator. It must not lose anything else.
 */
async function retryAll(): Promise<void> {
  const admin = await sessionPrincipal(server, fixture.organization, fixture.organization.admin);
  const { nodes } = await fixture.get(ReadableTasksService).list(admin, { first: 200 }, { isQuarantined: true });
  for (const { id } of nodes) {
    await fixture.getInternal(TaskQuarantineService).retry(admin, id).catch(ignoreConflict);
    quarantines++;
  }
}
let quarantines = 0;
/** Another decision or the end of the task came first. */
function ignoreConflict(error: unknown): void {
  if ((error as { status?: number }).status !== 409) throw error;
}

interface LedgerRow {
  tool: string;
  state: string;
  task_id: string;
  effect: string;
}
const ledger = (): Promise<LedgerRow[]> =>
  fixture.get(DatabaseService).tenant(fixture.agent, (tx) =>
    runSql(
      tx,
      `select c.tool, c.state, c.effect, t.external_id as task_id from tool_calls c
              join tasks t on t.tenant_id = c.tenant_id and t.id::text = c.task_id::text`,
    ),
  );

/** Tasks whose event numbers have gaps. */
const brokenStories = (): Promise<object[]> =>
  fixture
    .get(DatabaseService)
    .tenant(fixture.agent, (tx) =>
      runSql(tx, 'select task_id from task_events group by task_id having count(*) <> max(number) or min(number) <> 1'),
    );

describe('processes that are killed at random moments', options, () => {
  it(`lose nothing, execute nothing twice, and report only actual effects (${kills} kills)`, async () => {
    await workplace.fail({ fault: 'slow', ms: 100 }); // keeps more writes in flight
    const processes = await Promise.all([start(), start()]);
    const sent: Sent[] = [];
    let isOver = false;
    const everySome = async (ms: number, run: () => Promise<unknown>) => {
      while (!isOver) await Promise.all([run(), sleep(between(ms / 2, ms * 2))]);
    };
    const callers = Array.from({ length: 3 }, () =>
      everySome(150, async () => {
        const task = another();
        await accepted(processes, task);
        sent.push(task);
      }),
    );
    const people = everySome(200, () => Promise.all([decideAll(), retryAll()]));

    for (let killed = 0; killed < kills; killed++) {
      await sleep(between(200, 1500));
      const index = Math.floor(Math.random() * processes.length);
      if (Math.random() < 0.2) {
        // stalls for longer than its lease, resumes, and is killed while it detects the lost lease
        processes[index].signal('SIGSTOP');
        await sleep(4000);
        processes[index].signal('SIGCONT');
        await sleep(between(0, 300));
      }
      await processes[index].kill();
      processes[index] = await start();
    }
    isOver = true;
    await workplace.clearFaults();
    await Promise.all(callers);
    await people;

    const tasks = new Map<string, Awaited<ReturnType<Wire['get']>>>();
    const deadline = Date.now() + 300_000;
    for (const { id } of sent) {
      for (;;) {
        const task = await wire.get(id);
        tasks.set(id, task);
        if (task.status.state === 'input-required') await Promise.all([decideAll(), retryAll()]);
        if (['completed', 'failed'].includes(task.status.state)) break;
        if (Date.now() > deadline)
          throw new Error(
            `${id} did not end: ${JSON.stringify(task.status)}\n${processes.map((one) => one.log()).join('\n')}`,
          );
        await sleep(100);
      }
    }

    const arrivals = (await workplace.arrivals()).map(
      ({ arguments: args }) => (args as { title?: string; text?: string }).title ?? (args as { text?: string }).text,
    );
    const writes = sent.filter(({ tool }) => tool !== 'list_channels');
    const times = (text: string) => arrivals.filter((arrived) => arrived === text).length;
    expect(writes.filter(({ text }) => times(text) > 1)).toEqual([]);
    const completed = writes.filter(({ id }) => tasks.get(id)!.status.state === 'completed');
    expect(completed.filter(({ text }) => times(text) !== 1)).toEqual([]);
    const failures = sent
      .filter(({ id }) => tasks.get(id)!.status.state === 'failed')
      .map(({ id, tool }) => ({ tool, ...tasks.get(id)!.status.error, id }));
    expect(failures.filter(({ code, tool }) => code !== 'outcome-unsettled' || tool === 'list_channels')).toEqual([]);

    const rows = await ledger();
    const writesInLedger = rows.filter(({ effect }) => effect !== 'read'); // an interrupted read is simply repeated
    expect(writesInLedger.filter(({ state }) => !['succeeded', 'unsettled'].includes(state))).toEqual([]);
    const unsettled = writesInLedger.filter(({ state }) => state === 'unsettled').map(({ task_id }) => task_id);
    expect(failures.map(({ id }) => id).sort()).toEqual(unsettled.sort());
    const succeeded = writesInLedger.filter(({ state }) => state === 'succeeded');
    expect(succeeded.map(({ task_id }) => task_id).sort()).toEqual(completed.map(({ id }) => id).sort());

    await expect(brokenStories()).resolves.toEqual([]);
    process.stderr.write(
      `${sent.length} tasks, ${kills} kills, ${unsettled.length} unsettled, ${quarantines} quarantined\n`,
    );
  });
});

describe('a process that stalls beyond its lease', options, () => {
  it('changes nothing when it resumes', async () => {
    const stalled = await start();
    await workplace.fail({ fault: 'slow', ms: 2000, times: 1 });
    const task = {
      id: newTaskId(),
      call: { tool: 'workplace__create_ticket', arguments: { title: 'Asked for by a stalled process' } },
    };
    await accepted([stalled], task);
    while (!(await ledger()).some(({ task_id, state }) => task_id === task.id && state === 'executing'))
      await sleep(20);
    stalled.signal('SIGSTOP');
    await start();
    const ended = await wire.until(task.id, 'failed', 'completed'); // its lease of three seconds has expired by then
    expect(ended.status).toMatchObject({ state: 'failed', error: { code: 'outcome-unsettled' } });
    const before = { events: (await (await wire.events(task.id)).end()).updates, ledger: await ledger() };
    stalled.signal('SIGCONT');
    await sleep(2500); // its call has returned, and it has tried to store the result
    expect({ events: (await (await wire.events(task.id)).end()).updates, ledger: await ledger() }).toEqual(before);
    const arrived = (await workplace.arrivals()).filter(
      ({ arguments: args }) => (args as { title?: string }).title === 'Asked for by a stalled process',
    );
    expect(arrived.length).toBeLessThanOrEqual(1);
  });

  it('does not block its task for other processes when it stalls inside a transaction', async () => {
    const asShipped = { ...settings, TASK_LEASE_SECONDS: '' };
    const stalled = await start(asShipped);
    const title = 'Held by a transaction that stands still';
    const owner = new pg.Client(server.databaseUrl);
    await owner.connect();
    try {
      // the first turn, which precedes the attempt of its call, takes 3 seconds with the task row locked
      await owner.query(`
        create sequence lingered;
        create function linger() returns trigger language plpgsql security definer as $$
        begin
          if nextval('public.lingered') = 1 then perform pg_sleep(3); end if;
          return new;
        end $$;
        create trigger linger before insert on task_items for each row when (new.kind = 'turn') execute function linger()`);
      const task = { id: newTaskId(), call: { tool: 'workplace__create_ticket', arguments: { title } } };
      await accepted([stalled], task);
      const lingering = `select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()`;
      while (!(await owner.query(lingering)).rowCount) await sleep(20);
      stalled.signal('SIGSTOP');
      await start(asShipped);
      await wire.until(task.id, 'completed'); // although the other process is still stalled with its transaction open
      stalled.signal('SIGCONT');
      await sleep(1500);
      expect(stalled.isAlive()).toBe(true);
      const arrived = (await workplace.arrivals()).filter(
        ({ arguments: args }) => (args as { title?: string }).title === title,
      );
      expect(arrived).toHaveLength(1);
    } finally {
      await owner.query(
        'drop trigger if exists linger on task_items; drop function if exists linger; drop sequence if exists lingered',
      );
      await owner.end();
    }
  });
});
