import { setTimeout } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { JobQuarantineService } from '../src/jobs/job-quarantine.service.js';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { GateFixture } from './kit/gate-fixture.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import { type TestServer, testServer } from './kit/server.js';
import { delegationCall, DelegationFixture } from './kit/delegation-fixture.js';
import { decideApproval, newTaskId, wireOf } from './kit/wire.js';
import { Workplace } from './kit/workplace.js';
import { runSql } from './kit/run-sql.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
const workers: ServerProcess[] = [];
let retries: Promise<void> | undefined;
let isOver = false;

beforeAll(async () => {
  server = await testServer({ ROLE: 'web' }); // serves requests; other processes run the tasks
  workplace = await Workplace.start();
  fixture = await GateFixture.create(server, workplace);
});
afterAll(async () => {
  isOver = true;
  await retries;
  for (const worker of workers) await worker.kill();
  await workplace.stop();
  await server.close();
});

async function newWorker(): Promise<ServerProcess> {
  const worker = await serverProcess(server.databaseUrl, { ROLE: 'worker', TASK_LEASE_SECONDS: '2' });
  workers.push(worker);
  return worker;
}

/** As an administrator does: two kills quarantine a job. Other processes can notice the second one much later. */
async function retryQuarantinedJobs(): Promise<void> {
  const quarantine = fixture.get(JobQuarantineService);
  while (!isOver) {
    for (const job of await quarantine.listAll()) await quarantine.release(job);
    await setTimeout(200);
  }
}

it('delegated tasks continue in the same chain after a kill, and execute nothing twice', async () => {
  const specialists = await DelegationFixture.create(fixture);
  const billing = await specialists.addConfiguration('Billing');
  const research = await specialists.addConfiguration('Research');
  const wire = wireOf(fixture, server.url);
  const reviewer = await fixture.organization.browser(fixture.reviewer);
  const ticket = (title: string) => ({ tool: 'workplace__create_ticket', arguments: { title } });

  retries = retryQuarantinedJobs();
  const first = await newWorker();
  const id = newTaskId();
  await wire.send(
    id,
    delegationCall('billing', ticket('From billing')),
    delegationCall('research', ticket('From research')),
  );
  const approved: string[] = [];
  while (approved.length < 2) {
    const { status } = await wire.until(id, 'input-required');
    const { approvalId, agent } = status.metadata!;
    if (!approvalId || approved.includes(approvalId)) continue;
    expect(['Billing', 'Research']).toContain(agent);
    if (!approved.length) {
      await first.kill('SIGKILL');
      await newWorker();
    }
    await decideApproval(reviewer, approvalId, 'approve');
    approved.push(approvalId);
    await workers.at(-1)!.kill('SIGKILL'); // while the approved call may be in flight
    await newWorker();
  }
  await wire.until(id, 'completed', 'failed');
  const titles = (await workplace.arrivals()).map(({ arguments: args }) => (args as { title: string }).title);
  expect(new Set(titles).size).toBe(titles.length);

  const rows: { at: string; chain: { id: string }[] }[] = await fixture
    .get(DatabaseService)
    .tenant(fixture.agent, (tx) =>
      runSql(
        tx,
        `
      select detail ->> 'configurationId' as at, actor -> 'chain' as chain from audit_events
      where kind = 'call.started' and detail ->> 'taskId' is not null order by id`,
      ),
    );
  const chains = rows.map(({ at, chain }) => [...(chain ?? []).map((link) => link.id), at].join(' > '));
  expect(new Set(chains)).toEqual(
    new Set([
      fixture.configurationId,
      `${fixture.configurationId} > ${billing}`,
      `${fixture.configurationId} > ${research}`,
    ]),
  );
});
