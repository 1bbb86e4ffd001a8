import { afterAll, beforeAll, expect, it } from 'vitest';
import { GateFixture } from './kit/gate-fixture.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import type { RemoteAgent } from './kit/remote-agent.js';
import { RemoteAgentFixture } from './kit/remote-agent-fixture.js';
import { type TestServer, testServer } from './kit/server.js';
import { newTaskId } from './kit/wire.js';
import { Workplace } from './kit/workplace.js';

let server: TestServer;
let workplace: Workplace;
let fixture: GateFixture;
let remoteAgents: RemoteAgentFixture;
let agent: RemoteAgent;
const workers: ServerProcess[] = [];

beforeAll(async () => {
  server = await testServer({ ROLE: 'web' }); // serves requests; other processes run the tasks
  workplace = await Workplace.start();
  fixture = await GateFixture.create(server, workplace);
  remoteAgents = await RemoteAgentFixture.create(fixture, server.url);
  ({ agent } = await remoteAgents.connect({}, 'weather'));
});
afterAll(async () => {
  for (const worker of workers) await worker.kill();
  await remoteAgents.stop();
  await workplace.stop();
  await server.close();
});

async function newWorker(): Promise<ServerProcess> {
  const worker = await serverProcess(server.databaseUrl, { ROLE: 'worker', TASK_LEASE_SECONDS: '2' });
  workers.push(worker);
  return worker;
}

it('a remote agent receives each message once, however often the waiting process is killed', async () => {
  const { wire } = remoteAgents;
  const first = await newWorker();
  const id = newTaskId();
  await wire.send(id, { tool: 'weather__forecast', arguments: { message: 'ask Which town?' } });
  await wire.until(id, 'input-required');
  await first.kill('SIGKILL');
  await wire.send(id, 'hold Vienna');
  const second = await newWorker();
  await expect.poll(() => agent.receivedMessages.length, { timeout: 120_000 }).toBe(2);
  await second.kill('SIGKILL');
  agent.releaseHeld();
  await newWorker();
  const done = await wire.until(id, 'completed', 'failed');
  expect(JSON.stringify(done.artifacts)).toContain('Vienna');
  expect(agent.receivedMessages.map(({ text }) => text)).toEqual(['ask Which town?', 'hold Vienna']);
});

it.each(['SIGKILL', 'SIGTERM'] as const)('another process makes the next poll after a %s', async (signal) => {
  const { wire } = remoteAgents;
  for (const worker of workers.splice(0)) await worker.kill();
  const first = await newWorker();
  const received = agent.receivedMessages.length;
  const id = newTaskId();
  await wire.send(id, { tool: 'weather__forecast', arguments: { message: `hold ${signal}` } });
  await expect.poll(() => agent.receivedMessages.length, { timeout: 120_000 }).toBe(received + 1);
  const stored = `
    select extract(epoch from t.due_at - t.updated_at)::float as seconds from tasks t
    join task_delegations d on d.tenant_id = t.tenant_id and d.parent_task_id = t.id
    join remote_delegations r on r.tenant_id = d.tenant_id and r.call_id = d.call_id and r.remote_task_id is not null
    where t.external_id = $1 and t.waiting = 'approval'`;
  const due = async () => (await remoteAgents.query<{ seconds: number }>(stored, [id]))[0]?.seconds;
  await expect.poll(due, { timeout: 120_000 }).toBeDefined();
  await first.kill(signal);
  // the stored time is the next poll, or the lease of the poll during which the process died
  expect(await due()).toBeLessThan(10);
  agent.releaseHeld();
  await newWorker();
  const done = await wire.until(id, 'completed', 'failed');
  expect(JSON.stringify(done.artifacts)).toContain(signal);
  expect(agent.receivedMessages).toHaveLength(received + 1);
});
