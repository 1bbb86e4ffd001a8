import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type AuditStreamKind, auditStreamKinds } from '../src/audit-streams/audit-stream.entity.js';
import { AuditLogKit } from './kit/audit-log.js';
import { AuditReceivers } from './kit/audit-receivers.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import { type TestServer, testServer } from './kit/server.js';
import { status } from './kit/webhook-target.js';

/*
 * Kills the processes that send audit streams while events are written and receivers fail (`npm run chaos`: fifty
 * times). Each receiver has to get every event, in order.
 */

const kills = Number(process.env.CHAOS_KILLS ?? 2);
const options = { timeout: 600_000 + kills * 40_000 };
const patient = { timeout: 300_000, interval: 200 };
const kinds = Object.keys(auditStreamKinds) as AuditStreamKind[];

let server: TestServer;
let kit: AuditLogKit;
let receivers: AuditReceivers;
let lark: Organization;
const workers: ServerProcess[] = [];

beforeAll(async () => {
  server = await testServer({ ROLE: 'web' }); // other processes seal and send
  kit = await AuditLogKit.start(server);
  receivers = await AuditReceivers.start();
  lark = await anOrganization(server);
});
afterAll(async () => {
  for (const worker of workers) await worker.kill();
  await receivers.close();
  await kit.close();
  await server.close();
});

async function newWorker(): Promise<ServerProcess> {
  const worker = await serverProcess(server.databaseUrl, { ROLE: 'worker' });
  workers.push(worker);
  return worker;
}

it('delivers every event to every receiver, in order, although processes are killed', options, async () => {
  const admin = await lark.as();
  for (const kind of kinds) {
    const input = { name: kind, ...receivers.inputOf(kind), fromPosition: 0 };
    const mutation =
      'mutation ($input: CreateAuditStreamInput!) { createAuditStream(input: $input) { stream { id } } }';
    expect((await admin(mutation, { input })).errors).toBeUndefined();
  }
  let isWriting = true;
  const writing = (async () => {
    while (isWriting) {
      await kit.record(lark, 20);
      await sleep(100);
    }
  })();
  // the cursors: what a receiver got before it refused a batch does not count
  const acceptedCounts = async () =>
    (await kit.owner.query<{ position: string }>('select position from audit_streams order by id')).rows.map(
      ({ position }) => Number(position),
    );

  try {
    const alive = [await newWorker()];
    for (let kill = 0; kill < kills; kill++) {
      const before = await acceptedCounts();
      await expect
        .poll(async () => (await acceptedCounts()).every((count, nth) => count > before[nth]), patient)
        .toBe(true);
      for (const target of [receivers.otlp, receivers.webhook]) target.nextAnswers.push(status(500));
      receivers.syslog.faults.push('cut');
      await sleep(Math.random() * 500);
      await alive.pop()!.kill('SIGKILL');
      alive.push(await newWorker());
    }
  } finally {
    isWriting = false;
    await writing;
  }

  const { rows } = await kit.owner.query<{ id: string }>('select id from audit_events where tenant_id = $1', [
    lark.tenant.id,
  ]);
  for (const kind of kinds) {
    await expect
      .poll(() => {
        const received = new Set(receivers.eventsOf(kind).map(({ id }) => id));
        return rows.filter(({ id }) => !received.has(id)).length;
      }, patient)
      .toBe(0);
    const positions = receivers.positionsOf(kind);
    expect(positions).toEqual(positions.map((_, index) => index));
  }
});
