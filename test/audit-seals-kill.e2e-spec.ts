import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Client } from 'pg';
import { anOrganization, type Organization } from './kit/organization.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import { type TestServer, testServer } from './kit/server.js';

const events = 60_000;

let server: TestServer;
let owner: Client;
let lark: Organization;
const workers: ServerProcess[] = [];

beforeAll(async () => {
  server = await testServer({ ROLE: 'web' }); // other processes seal
  owner = new Client(server.databaseUrl);
  await owner.connect();
  lark = await anOrganization(server);
});
afterAll(async () => {
  for (const worker of workers) await worker.kill();
  await owner.end();
  await server.close();
});

async function newWorker(): Promise<ServerProcess> {
  const worker = await serverProcess(server.databaseUrl, { ROLE: 'worker' });
  workers.push(worker);
  return worker;
}

const sealedCount = async (): Promise<number> =>
  (
    await owner.query<{ count: number }>(`select count(*)::int as count from audit_seals where tenant_id = $1`, [
      lark.tenant.id,
    ])
  ).rows[0].count;

it('seals every event once, in one order, although sealers are killed', async () => {
  await owner.query(
    `insert into audit_events (tenant_id, id, at, kind, actor, detail)
     select $1, gen_random_uuid(), clock_timestamp(), 'test.recorded', '{"name": "Test"}', jsonb_build_object('n', n)
     from generate_series(1, $2::int) n`,
    [lark.tenant.id, events],
  );
  for (let kill = 0; kill < 3; kill++) {
    const before = await sealedCount();
    const worker = await newWorker();
    await expect.poll(sealedCount, { interval: 5 }).toBeGreaterThan(before);
    await worker.kill('SIGKILL');
    await owner.query(
      `insert into audit_events (tenant_id, id, at, kind, actor, detail)
       values ($1, gen_random_uuid(), clock_timestamp(), 'test.recorded', '{"name": "Test"}', '{}')`,
      [lark.tenant.id],
    );
  }
  await newWorker();
  await expect.poll(sealedCount).toBeGreaterThanOrEqual(events + 3);

  const response = await (await lark.browser()).fetch('/console/exports/audit.jsonl');
  const file = path.join(server.folder, 'audit.jsonl');
  writeFileSync(file, await response.text());
  const { stdout } = await promisify(execFile)(process.execPath, ['verify/countersign-verify.js', file, '--json']);
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, complete: true });
  const { rows } = await owner.query<{ count: number }>(
    `select count(*)::int as count from audit_seals s join audit_events e on e.tenant_id = s.tenant_id and e.id = s.event_id
     where s.tenant_id = $1 and e.kind = 'test.recorded'`,
    [lark.tenant.id],
  );
  expect(rows[0].count).toBe(events + 3);
});
