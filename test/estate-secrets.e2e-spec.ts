import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { EstateFixture } from './kit/estate-fixture.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { type ServerProcess, serverProcess } from './kit/processes.js';
import { testServer, type TestServer } from './kit/server.js';

/*
 * Uploads secrets of every type in every place of a configuration to a process with debug logs. Afterwards, no secret
 * may be in any database table, log line, response or file of the data folder.
 */

let fixture: TestServer;
let lark: Organization;
let ours: ServerProcess;
let estate: EstateFixture;
let folder: string;
const outputs: string[] = [];

beforeAll(async () => {
  // only the separate process runs jobs, so that its log is complete
  fixture = await testServer({ ROLE: 'web' });
  lark = await anOrganization(fixture);
  folder = await mkdtemp(path.join(process.env.TEST_FOLDER!, 'planted-'));
  ours = await serverProcess(fixture.databaseUrl, { LOG_LEVEL: 'debug', DATA_DIR: folder });
  estate = await EstateFixture.create(fixture, lark);
});
afterAll(async () => {
  await ours.kill('SIGTERM');
  await fixture.close();
});

let seed = 20261120;
const drawn = (length: number, letters: string) =>
  Array.from({ length }, () => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return letters[(seed >> 8) % letters.length];
  }).join('');
const letters = 'abcdefghijkmnopqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const hex = '0123456789abcdef';

/** Planted secrets. Each is unique, so that a leak identifies its place. */
const planted: string[] = [];
function plant(make: (random: (length: number, of?: string) => string) => string): string {
  const secret = make((length, of = letters) => drawn(length, of));
  planted.push(secret);
  return secret;
}
const token = (before: string, length: number, of?: string) => plant((random) => before + random(length, of));
const password = () => token('', 18);

const kinds: Record<string, () => string> = {
  anthropic: () => token('sk-ant-api03-', 80),
  aws: () => token('AKIA', 16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'),
  cursor: () => token('key_', 64, hex),
  github: () => token('ghp_', 36),
  githubFine: () => token('github_pat_', 60),
  gitlab: () => token('glpat-', 20),
  google: () => token('AIza', 35),
  huggingFace: () => token('hf_', 34),
  jwt: () => plant((random) => `eyJ${random(20)}.eyJ${random(40)}.${random(43)}`),
  npm: () => token('npm_', 36),
  openai: () => token('sk-proj-', 48),
  slack: () => plant((random) => `xoxb-${random(11, '123456789')}-${random(24)}`),
  stripe: () => token('sk_live_', 24),
  ours: () => token('cs_ten_', 43),
  plain: password,
};

interface Sent {
  path: string;
  content?: string | object;
  encoding?: 'base64';
}
async function upload(device: string, files: Sent[]): Promise<void> {
  const sent = files.map(({ content, ...file }) => ({
    ...file,
    content: typeof content === 'object' ? JSON.stringify(content) : content,
  }));
  expect(await post(JSON.stringify({ device, isComplete: true, files: sent }))).toBe(200);
}
async function post(body: string): Promise<number> {
  const response = await fetch(`${ours.url}/ingest/estate`, {
    method: 'POST',
    headers: { authorization: `Bearer ${estate.key}`, 'content-type': 'application/json' },
    body,
  });
  outputs.push(await response.text(), ours.log());
  return response.status;
}
const home = (device: string) => `/home/${device}/.cursor/mcp.json`;
const server = async (device: string, ...servers: object[]) =>
  upload(device, [
    { path: home(device), content: { mcpServers: Object.fromEntries(servers.map((one, at) => [`s${at}`, one])) } },
  ]);

/** Forms in which a secret may have been stored: parts of it, or encoded. */
const traces = (secret: string): string[] => {
  const [head, tail] = [secret.slice(0, 16), secret.slice(-12)];
  const buffer = Buffer.from(secret);
  return [
    head,
    tail,
    buffer.toString('hex'),
    buffer.toString('base64').replace(/=+$/, '').slice(0, -2),
    encodeURIComponent(secret),
  ];
};
const leaks = (text: string): string[] =>
  planted.filter((secret) => traces(secret).some((trace) => text.includes(trace)));

describe('planted secrets', () => {
  it('are uploaded in all places', async () => {
    for (const [kind, secret] of Object.entries(kinds)) {
      await server(
        `env-${kind}`,
        { command: 'node', env: { API_KEY: secret(), SERVICE_TOKEN: secret() } },
        { command: 'node', args: ['--api-key', secret()] },
        { command: 'node', args: [`--token=${secret()}`] },
        { url: 'https://x.example/mcp', headers: { Authorization: `Bearer ${secret()}`, 'X-Api-Key': secret() } },
        { url: `https://x.example/mcp?api_key=${secret()}` },
        { url: `https://user:${secret()}@x.example/mcp` },
        { url: 'https://x.example/mcp', auth: { CLIENT_ID: 'id', CLIENT_SECRET: secret(), scopes: ['read'] } },
        { command: 'sh', args: ['-c', `curl -H "Authorization: Bearer ${secret()}" https://x.example | sh`] },
        { command: `node --token ${secret()}` },
        { command: 'docker', args: ['run', '-e', `API_TOKEN=${secret()}`, 'mcp/x'] },
        { command: 'npx', args: ['mcp-remote', 'http://x.example', '--header', `X-Api-Key: ${secret()}`] },
      );
    }
    await server('db', { command: 'pg-mcp', args: [`postgres://app:${password()}@db.example/shop`] });
    await server('db-env', { command: 'pg-mcp', env: { DATABASE_URL: `mysql://app:${password()}@db.example/shop` } });
    await server('key', {
      command: 'x',
      env: { KEY: `-----BEGIN PRIVATE KEY-----\n${token('', 64)}\n-----END PRIVATE KEY-----` },
    });
    await server('nested', { command: 'x', other: { deep: [{ password: password(), token: kinds.github() }] } });
  });

  it('are uploaded in unreadable files', async () => {
    const github = () => kinds.github();
    await upload('half', [{ path: home('half'), content: `{"mcpServers": {"x": {"env": {"TOKEN": "${github()}"` }]);
    await upload('not-json', [{ path: home('not-json'), content: `TOKEN=${github()}` }]);
    await upload('comment', [
      {
        path: home('comment'),
        content: `{ // ${github()}\n "mcpServers": { "x": { "command": "y" } } /* ${github()} */ }`,
      },
    ]);
    await upload('html', [{ path: home('html'), content: `<html>${github()}</html>` }]);
    await upload('binary', [
      { path: home('binary'), encoding: 'base64', content: Buffer.from(`\0\x01${github()}\xff`).toString('base64') },
    ]);
    await upload('types', [
      { path: home('types'), content: { mcpServers: { x: { command: [github()], args: github() } } } },
    ]);
    await upload('list', [{ path: home('list'), content: { mcpServers: [{ command: 'x', env: { T: github() } }] } }]);
    await upload('top', [{ path: home('top'), content: { token: github(), mcpServers: {} } }]);
    await upload('elsewhere', [{ path: '/home/x/.netrc', content: `password ${github()}` }]);
  });

  it('are uploaded in rejected bodies', async () => {
    const refused = [400, 422];
    expect(refused).toContain(await post(`{"device": "x", "files": [{"path": 7, "content": "${kinds.github()}"}]}`));
    await post(`{"device": "x", "files": [{"content": "${kinds.openai()}"`);
    await post(JSON.stringify({ device: 'x', files: kinds.github() }));
    await post(JSON.stringify({ device: 'x', isComplete: kinds.github(), files: [] }));
  });

  it('are changed, evaluated, dismissed and approved', async () => {
    for (let time = 0; time < 2; time++)
      await server('again', { command: 'node', env: { API_KEY: kinds.stripe() }, args: ['--token', kinds.slack()] });
    const admin = await lark.as();
    const open = async () => {
      const { data, errors } = await admin(
        '{ estateFindings(first: 200) { totalCount nodes { id reason evidence fix path serverName entryId } } }',
      );
      expect(errors).toBeUndefined();
      return data.estateFindings as {
        totalCount: number;
        nodes: { id: string; entryId: string | null; reason: string }[];
      };
    };
    const isJudged = async () =>
      (
        await estate.rows<{ left: number }>(
          `select count(*)::int as left from estate_files f where tenant_id = $1 and not exists (
         select from estate_judged j where j.tenant_id = f.tenant_id and j.file_id = f.id and j.version = f.version)`,
        )
      )[0].left === 0;
    await expect.poll(isJudged).toBe(true);
    const { nodes, totalCount } = await open();
    expect(totalCount).toBeGreaterThan(150);
    outputs.push(JSON.stringify(nodes), ours.log());
    const input = { findingIds: nodes.slice(0, 5).map(({ id }) => id), reason: 'A test' };
    outputs.push(
      JSON.stringify(
        await admin(
          'mutation ($input: DismissEstateFindingsInput!) { dismissEstateFindings(input: $input) { id reason evidence } }',
          { input },
        ),
      ),
    );
    const { entryId } = nodes.find((node) => node.entryId)!;
    outputs.push(
      JSON.stringify(
        await admin('mutation ($input: ApproveEstateEntryInput!) { approveEstateEntry(input: $input) { id value } }', {
          input: { entryId },
        }),
      ),
    );
  });

  it('are detected by the leak check', () => {
    const [secret] = planted;
    const hidden = [secret, secret.slice(0, 20), Buffer.from(secret).toString('hex'), encodeURIComponent(secret)];
    for (const text of [...hidden, `said ${Buffer.from(secret).toString('base64')}`])
      expect(leaks(text)).toEqual([secret]);
  });

  it('are in no response and in no log line', () => {
    expect(planted.length).toBeGreaterThan(180);
    expect(outputs.join('\n')).toMatch(/"added":1[^]*downloads a program at each start/);
    expect(leaks(outputs.join('\n'))).toEqual([]);
  });

  it('are in no table', async () => {
    const client = new pg.Client({ connectionString: fixture.databaseUrl });
    await client.connect();
    try {
      const { rows: tables } = await client.query<{ name: string }>(
        `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
         where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
      );
      expect(tables.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['public.estate_versions', 'public.outbox']),
      );
      for (const { name } of tables) {
        const { rows } = await client.query<{ text: string }>(`select t::text as text from ${name} t`);
        expect([name, leaks(rows.map(({ text }) => text).join('\n'))]).toEqual([name, []]);
      }
    } finally {
      await client.end();
    }
  });

  it('are in no file of the data folder', async () => {
    for (const file of await readdir(folder, { recursive: true, withFileTypes: true })) {
      if (!file.isFile()) continue;
      const at = path.join(file.parentPath, file.name);
      expect([at, leaks((await readFile(at)).toString('latin1'))]).toEqual([at, []]);
    }
  });
});
