import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EstateFixture } from './kit/estate-fixture.js';
import { KnowledgeFixture } from './kit/knowledge-fixture.js';
import { anOrganization, type Organization } from './kit/organization.js';
import { testServer, type TestServer } from './kit/server.js';

let server: TestServer;
let lark: Organization;
let estate: EstateFixture;
let outside: string;
beforeAll(async () => {
  server = await testServer();
  lark = await anOrganization(server);
  estate = await EstateFixture.create(server, lark);
  outside = mkdtempSync(path.join(os.tmpdir(), 'outside-'));
});
afterAll(async () => {
  await server.close();
  rmSync(outside, { recursive: true });
});

interface FileRow {
  path: string;
  scope: string;
  status: string;
  problems: { place: string; reason: string }[];
  isGone: boolean;
  names: string[];
}
let folders = 0;
class Folder {
  readonly root = path.join(server.folder, `folder-${++folders}`);
  id = '';

  write(name: string, content: string | Buffer | object): this {
    const file = path.join(this.root, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, typeof content === 'object' && !Buffer.isBuffer(content) ? JSON.stringify(content) : content);
    return this;
  }

  link(name: string, target: string): this {
    mkdirSync(path.dirname(path.join(this.root, name)), { recursive: true });
    symlinkSync(target, path.join(this.root, name));
    return this;
  }

  async connect(): Promise<void> {
    mkdirSync(this.root, { recursive: true });
    const knowledge = new KnowledgeFixture(server, lark, await lark.as());
    ({ id: this.id } = await knowledge.connect({ kind: 'folder', slug: `f${folders}`, settings: { path: this.root } }));
    await this.waitForScan(null);
  }

  async source() {
    const [source] = await estate.rows<{
      completeAt: Date | null;
      problems: FileRow['problems'];
      failure: string | null;
    }>(
      `select complete_at as "completeAt", problems, failure from estate_sources where tenant_id = $1 and connection_id = $2`,
      [this.id],
    );
    return source;
  }

  async rescan(): Promise<void> {
    const before = (await this.source()).completeAt;
    await estate.rows('update estate_sources set next_at = now() where tenant_id = $1 and connection_id = $2', [
      this.id,
    ]);
    await this.waitForScan(before);
  }

  async until(isIt: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 400; tries++) {
      if (await isIt()) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`condition not reached: ${JSON.stringify([await this.source(), await this.files()])}`);
  }

  private waitForScan(before: Date | null): Promise<void> {
    return this.until(async () => {
      const source = await this.source();
      return Boolean(source?.completeAt && source.completeAt.getTime() !== before?.getTime());
    });
  }

  files(): Promise<FileRow[]> {
    return estate.rows<FileRow>(
      `select f.path, f.scope, f.status, f.problems, f.gone_at is not null as "isGone",
              array(select e.name from estate_entries e where e.tenant_id = f.tenant_id and e.file_id = f.id and e.gone_at is null
                    order by e.position) as names
       from estate_files f join estate_sources s on s.tenant_id = f.tenant_id and s.id = f.source_id
       where f.tenant_id = $1 and s.connection_id = $2 order by f.path`,
      [this.id],
    );
  }
}

const notes = { mcpServers: { notes: { command: 'npx', args: ['-y', 'mcp-notes@1.0.0'] } } };

describe('a connected folder', () => {
  it('lists the configurations of home folders and projects, including files in .gitignore', async () => {
    const folder = new Folder()
      .write('home/ines/.cursor/mcp.json', { mcpServers: { tickets: { url: 'https://tickets.example.net/mcp' } } })
      .write('shop/.cursor/mcp.json', notes)
      .write('shop/.gitignore', '.cursor/\n')
      .write('shop/node_modules/x/.cursor/mcp.json', notes)
      .write('shop/.git/.cursor/mcp.json', notes)
      .write('shop/mcp.json', notes);
    await folder.connect();
    await expect(folder.files()).resolves.toEqual([
      {
        path: 'home/ines/.cursor/mcp.json',
        scope: 'user',
        status: 'read',
        problems: [],
        isGone: false,
        names: ['tickets'],
      },
      {
        path: 'shop/.cursor/mcp.json',
        scope: 'project',
        status: 'read',
        problems: [],
        isGone: false,
        names: ['notes'],
      },
    ]);
  });

  it('marks removed files as gone, and restores them when they reappear', async () => {
    const folder = new Folder().write('a/.cursor/mcp.json', notes).write('b/.cursor/mcp.json', notes);
    await folder.connect();
    rmSync(path.join(folder.root, 'a'), { recursive: true });
    await folder.rescan();
    expect((await folder.files()).map(({ isGone }) => isGone)).toEqual([true, false]);
    folder.write('a/.cursor/mcp.json', notes);
    await folder.rescan();
    expect((await folder.files()).map(({ isGone }) => isGone)).toEqual([false, false]);
  });

  it('does not follow links out of the folder', async () => {
    mkdirSync(path.join(outside, '.cursor'));
    writeFileSync(path.join(outside, '.cursor/mcp.json'), '{"mcpServers": {"stolen": {"command": "stolen"}}}');
    const folder = new Folder()
      .write('dotfiles/cursor/mcp.json', notes)
      .link('inside/.cursor', '../dotfiles/cursor')
      .link('file/.cursor/mcp.json', '../../dotfiles/cursor/mcp.json')
      .link('folder/.cursor', path.join(outside, '.cursor'))
      .link('out/.cursor/mcp.json', path.join(outside, '.cursor/mcp.json'))
      .link('loop/.cursor', '../loop')
      .link('self/.cursor/mcp.json', 'mcp.json');
    await folder.connect();
    const files = await folder.files();
    expect(files.map(({ path, names }) => [path, names])).toEqual([
      ['file/.cursor/mcp.json', ['notes']],
      ['inside/.cursor/mcp.json', ['notes']],
    ]);
    expect((await folder.source()).problems).toEqual(
      expect.arrayContaining([
        { place: 'folder/.cursor', reason: 'is a link to a target outside of the folder' },
        { place: 'out/.cursor/mcp.json', reason: 'is a link to a target outside of the folder' },
        { place: 'self/.cursor/mcp.json', reason: 'is a link to itself' },
      ]),
    );
  });

  it('reports files that cannot be parsed', async () => {
    const folder = new Folder()
      .write('big/.cursor/mcp.json', Buffer.alloc(2 ** 20, ' '))
      .write('binary/.cursor/mcp.json', Buffer.from([0, 1, 2]))
      .write('deep/.cursor/mcp.json', '{"a":'.repeat(40_000))
      .write('empty/.cursor/mcp.json', '')
      .write('hidden\u202Etxt/.cursor/mcp.json', notes)
      .write('odd/.Cursor/MCP.json', notes);
    mkdirSync(path.join(folder.root, 'folder/.cursor/mcp.json'), { recursive: true });
    await folder.connect();
    const files = await folder.files();
    expect(files.map(({ path, status, problems }) => [path, status, problems[0]?.reason])).toEqual([
      ['big/.cursor/mcp.json', 'unreadable', 'is too large: 1.0 MiB, the limit is 0.3 MiB'],
      ['binary/.cursor/mcp.json', 'unreadable', 'is not text'],
      ['deep/.cursor/mcp.json', 'unreadable', 'is nested too deeply'],
      ['empty/.cursor/mcp.json', 'read', 'is empty'],
      ['hidden\u202Etxt/.cursor/mcp.json', 'read', undefined],
      ['odd/.Cursor/MCP.json', 'read', undefined],
    ]);
  });

  (process.getuid?.() === 0 ? it.skip : it)('keeps files in folders that it cannot read', async () => {
    const folder = new Folder().write('closed/.cursor/mcp.json', notes).write('open/.cursor/mcp.json', notes);
    await folder.connect();
    chmodSync(path.join(folder.root, 'closed'), 0);
    await folder.rescan();
    chmodSync(path.join(folder.root, 'closed'), 0o755);
    expect((await folder.files()).map(({ isGone }) => isGone)).toEqual([false, false]);
  });

  it('keeps its files while it is unavailable', async () => {
    const folder = new Folder().write('a/.cursor/mcp.json', notes);
    await folder.connect();
    rmSync(folder.root, { recursive: true });
    await estate.rows('update estate_sources set next_at = now() where tenant_id = $1 and connection_id = $2', [
      folder.id,
    ]);
    await folder.until(async () => (await folder.source()).failure !== null);
    expect((await folder.source()).failure).toBe('This folder does not exist on the server.');
    expect(await folder.files()).toMatchObject([{ isGone: false }]);
  });

  it('marks its files as gone when its connection is removed', async () => {
    const folder = new Folder().write('a/.cursor/mcp.json', notes);
    await folder.connect();
    const ask = await lark.as();
    const { errors } = await ask('mutation ($id: ID!) { removeConnection(input: { id: $id }) { id } }', {
      id: folder.id,
    });
    expect(errors).toBeUndefined();
    await folder.until(async () => (await folder.files())[0].isGone);
  });
});
