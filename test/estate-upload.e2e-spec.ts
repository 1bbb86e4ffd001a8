import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EstateFixture } from './kit/estate-fixture.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { testServer, type TestServer } from './kit/server.js';

let server: TestServer;
let lark: Organization;
let estate: EstateFixture;
beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server);
  estate = await EstateFixture.create(server, lark);
});
afterAll(() => server.close());

const notes = { command: 'npx', args: ['-y', 'mcp-notes@1.0.0'] };
const tickets = { url: 'https://tickets.example.net/mcp' };
const own = (content: object | string) => ({ path: '/home/ines/.cursor/mcp.json', content });
const ofProject = (content: object | string) => ({ path: '/home/ines/shop/.cursor/mcp.json', content });
const present = (device: string) =>
  estate.rows<{ path: string; scope: string; name: string; serverId: string }>(
    `select f.path, f.scope, e.name, e.server_id as "serverId" from estate_files f
     join estate_sources s on s.tenant_id = f.tenant_id and s.id = f.source_id
     left join estate_entries e on e.tenant_id = f.tenant_id and e.file_id = f.id and e.gone_at is null
     where f.tenant_id = $1 and s.name = $2 and f.gone_at is null order by f.path, e.position`,
    [device],
  );

describe('an upload', () => {
  it('creates files, entries and servers', async () => {
    const files = [own({ mcpServers: { notes, tickets } }), ofProject({ mcpServers: { tickets } })];
    await expect(estate.upload('lap-1', files)).resolves.toEqual({
      isStale: false,
      added: 2,
      changed: 0,
      unchanged: 0,
      gone: 0,
      skipped: [],
    });
    const rows = await present('lap-1');
    expect(rows).toMatchObject([
      { path: '/home/ines/.cursor/mcp.json', scope: 'user', name: 'notes' },
      { path: '/home/ines/.cursor/mcp.json', scope: 'user', name: 'tickets' },
      { path: '/home/ines/shop/.cursor/mcp.json', scope: 'project', name: 'tickets' },
    ]);
    expect(rows[1].serverId).toBe(rows[2].serverId);
  });

  it('changes nothing when it is repeated', async () => {
    const files = [own({ mcpServers: { notes } })];
    await estate.upload('lap-2', files);
    await expect(estate.upload('LAP-2', files)).resolves.toMatchObject({ added: 0, changed: 0, unchanged: 1, gone: 0 });
    const [{ count }] = await estate.rows<{ count: number }>(
      `select count(*)::int from estate_versions v join estate_files f on f.tenant_id = v.tenant_id and f.id = v.file_id
       join estate_sources s on s.tenant_id = f.tenant_id and s.id = f.source_id where v.tenant_id = $1 and s.key = 'lap-2'`,
    );
    expect(count).toBe(1);
  });

  it('is audited with its key, unless it changes nothing', async () => {
    const files = [own({ mcpServers: { notes } })];
    await estate.upload('lap-recorded', files);
    await estate.upload('lap-recorded', files);
    const ask = await lark.as();
    const { data } = await ask(`{ auditEvents(kind: "estate.uploaded") { nodes { actor subject detail } } }`);
    const ofDevice = (data.auditEvents.nodes as { subject: { name: string } }[]).filter(
      ({ subject }) => subject.name === 'lap-recorded',
    );
    expect(ofDevice).toMatchObject([
      { actor: { name: 'laptops', keyId: expect.any(String) }, detail: { added: 1, changed: 0, gone: 0 } },
    ]);
  });

  it('truncates long names without splitting surrogate pairs', async () => {
    for (const letters of [98, 99, 286, 287, 298, 299]) {
      const name = `${'a'.repeat(letters)}${'😀'.repeat(300)}`;
      const files = [
        own({ mcpServers: { [name]: 5, [`${name}.`]: { command: 'notes', [name]: { [name]: '\u202e' } } } }),
      ];
      await expect(estate.upload(`lap-emoji-${letters}`, files)).resolves.toMatchObject({ added: 1, skipped: [] });
    }
  });

  it('stores the same server of several laptops once', async () => {
    for (const device of ['lap-a', 'lap-b', 'lap-c'])
      await estate.upload(device, [
        {
          path: `/home/${device}/.cursor/mcp.json`,
          content: {
            mcpServers: { notes: { ...notes, args: ['-y', 'mcp-notes'], env: { NOTES_KEY: `value-of-${device}` } } },
          },
        },
      ]);
    const servers = await estate.rows('select id from estate_servers where tenant_id = $1 and name = $2', ['notes']);
    expect(servers).toHaveLength(1);
  });

  it('marks missing files as gone if it is complete, and keeps their history', async () => {
    const project = ofProject({ mcpServers: { only: { command: 'only-here' } } });
    await estate.upload('lap-3', [own({ mcpServers: { notes } }), project]);
    await expect(
      estate.upload('lap-3', [own({ mcpServers: { notes } })], { isComplete: false }),
    ).resolves.toMatchObject({ gone: 0 });
    await expect(estate.upload('lap-3', [own({ mcpServers: { notes } })])).resolves.toMatchObject({
      gone: 1,
      unchanged: 1,
    });
    expect(await present('lap-3')).toHaveLength(1);
    const server = () =>
      estate.rows<{ gone_at: Date | null }>(
        'select gone_at from estate_servers where tenant_id = $1 and command = $2',
        ['only-here'],
      );
    expect((await server())[0].gone_at).not.toBeNull();
    await expect(estate.upload('lap-3', [own({ mcpServers: { notes } }), project])).resolves.toMatchObject({
      changed: 1,
    });
    expect((await server())[0].gone_at).toBeNull();
    const versions = await estate.rows<{ number: number; is_gone: boolean }>(
      `select v.number, v.is_gone from estate_versions v join estate_files f on f.tenant_id = v.tenant_id and f.id = v.file_id
       join estate_sources s on s.tenant_id = f.tenant_id and s.id = f.source_id
       where v.tenant_id = $1 and s.name = 'lap-3' and f.scope = 'project' order by v.number`,
    );
    expect(versions).toEqual([
      { number: 1, is_gone: false },
      { number: 2, is_gone: true },
      { number: 3, is_gone: false },
    ]);
  });

  it('is ignored if it was collected before the stored one', async () => {
    await estate.upload('lap-4', [own({ mcpServers: { notes } })], { collectedAt: '2026-11-20T10:00:00Z' });
    await expect(estate.upload('lap-4', [], { collectedAt: '2026-11-20T09:00:00Z' })).resolves.toMatchObject({
      isStale: true,
      gone: 0,
    });
    expect(await present('lap-4')).toHaveLength(1);
  });

  it('lists skipped files and the problems of stored files', async () => {
    const answer = await estate.upload('lap-5', [
      { path: '/etc/passwd', content: 'root:x' },
      own('{"mcpServers": {"notes": {"command": "notes"}, "broken": 7}}'),
      own('{}'),
      { path: '/home/ines/big/.cursor/mcp.json', size: 40_000_000 },
    ]);
    expect(answer).toMatchObject({
      added: 2,
      skipped: [
        { index: 0, reason: 'is not a configuration of a supported AI client' },
        { index: 2, reason: 'is listed twice; only the first one is used' },
      ],
    });
    const files = await estate.rows(
      `select f.status, f.problems from estate_files f join estate_sources s on s.tenant_id = f.tenant_id and s.id = f.source_id
       where f.tenant_id = $1 and s.name = 'lap-5' order by f.size`,
    );
    expect(files).toMatchObject([
      { status: 'partly', problems: [{ place: '/mcpServers/broken', reason: 'is not an object' }] },
      { status: 'unreadable', problems: [{ place: '', reason: 'was not sent' }] },
    ]);
  });

  it('is stored completely when many devices upload at once', async () => {
    const devices = Array.from({ length: 12 }, (_, index) => `many-${index}`);
    const servers = Object.fromEntries(
      Array.from({ length: 8 }, (_, index) => [`s${index}`, { command: `many-${index}` }]),
    );
    await Promise.all(devices.map((device) => estate.upload(device, [own({ mcpServers: servers })])));
    await Promise.all(
      devices.map((device, index) => estate.upload(device, index % 2 ? [] : [own({ mcpServers: servers })])),
    );
    const left = await estate.rows(
      `select id from estate_servers where tenant_id = $1 and command like 'many-%' and gone_at is null`,
    );
    expect(left).toHaveLength(8);
    await Promise.all(devices.map((device) => estate.upload(device, [])));
    expect(
      await estate.rows(
        `select id from estate_servers where tenant_id = $1 and command like 'many-%' and gone_at is null`,
      ),
    ).toEqual([]);
  });
});

describe('a tenant key', () => {
  it('cannot upload without the scope', async () => {
    const other = await EstateFixture.create(server, lark, ['documents']);
    expect((await other.post({ device: 'x', files: [] })).status).toBe(403);
  });
  it('cannot affect the files of another organization', async () => {
    const wren = await anOrganization(server);
    const theirs = await EstateFixture.create(server, wren);
    await theirs.upload('lap-1', []);
    expect((await present('lap-1')).length).toBeGreaterThan(0);
  });
});

describe('an upload body', () => {
  it.each([
    ['incomplete JSON', '{"device": "x", "files": [{"content": "hunter2-hunter2'],
    ['a list', '[]'],
    ['too many files', { device: 'x', files: Array.from({ length: 501 }, () => ({ path: 'a' })) }],
    ['a device without a name', { device: ' ', files: [] }],
  ])('with %s is rejected without being quoted', async (_, body) => {
    const response = await estate.post(body);
    expect(response.status).toBe(400);
    expect(await response.text()).not.toContain('hunter2');
  });
});

describe('the upload script for devices', () => {
  let secretFile: string;
  beforeAll(() => (secretFile = path.join(server.folder, 'state', 'device-secret')));
  const run = (settings: Record<string, string>, ...folders: string[]) =>
    promisify(execFile)('sh', ['examples/estate-upload.sh', ...folders], {
      env: {
        PATH: process.env.PATH,
        COUNTERSIGN_URL: server.url,
        COUNTERSIGN_KEY: estate.key,
        DEVICE_SECRET_FILE: secretFile,
        ...settings,
      },
    });
  const write = (home: string, name: string, content: string | Buffer) => {
    mkdirSync(path.join(home, path.dirname(name)), { recursive: true });
    writeFileSync(path.join(home, name), content);
  };

  it('uploads files with any name, and follows no links', async () => {
    const home = path.join(server.folder, 'home', 'ines');
    const temporary = path.join(server.folder, 'temporary');
    mkdirSync(temporary);
    write(home, '.cursor/mcp.json', '// mine\n{"mcpServers": {"notes": {"command": "nötes"}}}');
    write(home, 'it\'s "odd" \\ $(touch x)/.Cursor/MCP.json', '{"mcpServers": {"odd": {"command": "odd"}}}');
    write(home, 'big/.cursor/mcp.json', Buffer.alloc(300_000, ' '));
    write(home, 'shop/node_modules/x/.cursor/mcp.json', '{"mcpServers": {"no": {"command": "no"}}}');
    mkdirSync(path.join(home, 'linked/.cursor'), { recursive: true });
    symlinkSync('/etc/passwd', path.join(home, 'linked/.cursor/mcp.json'));
    const { stdout } = await run({ HOME: home, DEVICE: 'lap-script', OWNER: 'ines@script.example', TMPDIR: temporary });
    expect(JSON.parse(stdout)).toMatchObject({ added: 3, skipped: [] });
    const rows = await estate.rows<{
      path: string;
      status: string;
      owner_email: string;
      modified_at: Date;
      names: string[];
    }>(
      `select f.path, f.status, f.owner_email, f.modified_at,
              array(select e.command from estate_entries e where e.tenant_id = f.tenant_id and e.file_id = f.id) as names
       from estate_files f join estate_sources s on s.tenant_id = f.tenant_id and s.id = f.source_id
       where f.tenant_id = $1 and s.name = 'lap-script' order by f.size`,
    );
    expect(rows).toMatchObject([
      { path: path.join(home, 'it\'s "odd" \\ $(touch x)/.Cursor/MCP.json'), names: ['odd'] },
      { path: path.join(home, '.cursor/mcp.json'), names: ['nötes'], owner_email: 'ines@script.example' },
      { path: path.join(home, 'big/.cursor/mcp.json'), status: 'unreadable' },
    ]);
    expect(Math.abs(rows[0].modified_at.getTime() - Date.now())).toBeLessThan(600_000);
    expect(readdirSync(temporary)).toEqual([]);
    await expect(run({ HOME: home, DEVICE: 'lap-script' })).resolves.toMatchObject({
      stdout: expect.stringContaining('"unchanged":3'),
    });
    expect(statSync(secretFile).mode & 0o077).toBe(0);
    // another machine with the same key and the same name
    const elsewhere = path.join(server.folder, 'state', 'another-secret');
    await expect(run({ HOME: home, DEVICE: 'lap-script', DEVICE_SECRET_FILE: elsewhere })).rejects.toMatchObject({
      stdout: expect.stringContaining('device-secret-mismatch'),
    });
  });

  it('rejects plain http, and reports why it failed', async () => {
    await expect(run({ HOME: server.folder, COUNTERSIGN_URL: 'http://countersign.example' })).rejects.toMatchObject({
      code: 2,
    });
    await expect(run({ HOME: server.folder, COUNTERSIGN_KEY: 'cs_ten_wrong' })).rejects.toMatchObject({
      stdout: expect.stringContaining('unauthenticated'),
    });
    await expect(run({}, '/nowhere/at/all')).rejects.toMatchObject({ code: 2 });
  });
});
