import { afterAll, beforeAll, expect, it } from 'vitest';
import pg from 'pg';
import { EstateFixture } from './kit/estate-fixture.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import { type TestServer, testServer } from './kit/server.js';

const devices = 6;
const filesEach = 50;
const all = devices * filesEach;

let server: TestServer;
let lark: Organization;
let owner: pg.Client;
let holder: pg.Client;
const workers: ServerProcess[] = [];

beforeAll(async () => {
  server = await testServer({ ROLE: 'web' }); // accepts uploads; other processes evaluate
  lark = await anOrganization(server);
  owner = new pg.Client(server.databaseUrl);
  holder = new pg.Client(server.databaseUrl);
  await Promise.all([owner.connect(), holder.connect()]);
});
afterAll(async () => {
  for (const worker of workers) await worker.kill();
  await Promise.all([owner.end(), holder.end()]);
  await server.close();
});

async function newWorker(): Promise<ServerProcess> {
  const worker = await serverProcess(server.databaseUrl, { ROLE: 'worker' });
  workers.push(worker);
  return worker;
}

const count = async (what: string) =>
  Number((await owner.query<{ n: string }>(`select count(*) as n from ${what}`)).rows[0].n);

async function until(is: () => Promise<boolean>): Promise<void> {
  while (!(await is())) await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Blocks the evaluation of the last file until the transaction ends. */
async function holdLastFile(): Promise<void> {
  await holder.query('begin');
  await holder.query(`
    insert into estate_judged (tenant_id, file_id, version, is_gone, rulebook, parser, judged_at)
    select tenant_id, id, version, false, '', parser, now() from estate_files order by id desc limit 1`);
}

it('evaluation continues where a killed process stopped, and publishes each finding once', async () => {
  const estate = await EstateFixture.create(server, lark);
  for (let device = 0; device < devices; device++)
    await estate.upload(
      `lap-${device}`,
      Array.from({ length: filesEach }, (_, at) => ({
        path: `/srv/project-${at}/.cursor/mcp.json`,
        content: { mcpServers: { notes: { command: 'npx', args: ['-y', `mcp-notes-${at}`] } } },
      })),
    );
  await holdLastFile();
  const first = await newWorker();
  await until(async () => (await count('estate_judged')) > 0);
  const before = await count('estate_findings');
  expect(before).toBeGreaterThan(0);
  await first.kill('SIGKILL');
  await holder.query('rollback');
  expect(await count('estate_judged')).toBeLessThan(all);
  // all stored findings are published, and nothing is stored partially
  expect(await count("outbox where kind = 'estate.finding'")).toBe(before);

  await newWorker();
  await until(async () => (await count('estate_judged')) === all);
  const { rows } = await owner.query<{ files: string; twice: string }>(`
    select count(distinct file_id) as files, count(*) - count(distinct (file_id, key)) as twice
    from estate_findings where rule = 'unpinned_package'`);
  expect(rows).toEqual([{ files: String(all), twice: '0' }]);
  expect(await count("outbox where kind = 'estate.finding'")).toBe(await count('estate_findings'));
});
