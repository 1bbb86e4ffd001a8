import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { StorageLock } from '../src/knowledge/git/storage-lock.js';
import { HostedRepository } from './kit/git-commits.js';
import { GitFixture } from './kit/git-fixture.js';
import { GitServer } from './kit/git-server.js';

let root: string;
let server: GitServer;
let repository: HostedRepository;
let git: GitFixture;
let count = 0;
const fixtures: GitFixture[] = [];

beforeAll(async () => {
  root = mkdtempSync(path.join(os.tmpdir(), 'countersign-git-host-'));
  server = await GitServer.start({ root });
});
afterAll(async () => {
  await server.stop();
  rmSync(root, { recursive: true, force: true });
});
beforeEach(() => {
  repository = HostedRepository.create(root, `acme-${++count}.git`);
  repository.commit({ files: { 'README.md': '# Handbook\n' } });
  git = connect();
});
afterEach(() => {
  for (const each of fixtures.splice(0)) each.dispose();
  server.fault = null;
  server.requests.length = 0;
});

function connect(limits = {}): GitFixture {
  const fixture = new GitFixture({ address: server.url(repository.name) }, {}, limits);
  fixtures.push(fixture);
  return fixture;
}

/** Replaces the branch by a commit of this tree. */
function commitTree(tree: string): void {
  const author = ['-c', 'user.name=E', '-c', 'user.email=e@e'];
  const commit = repository.git([...author, 'commit-tree', '-m', 'x', tree.trim()]).trim();
  repository.git(['update-ref', 'refs/heads/main', commit]);
}

/** Text that compression reduces by only a quarter. */
const noise = (bytes: number) => randomBytes(bytes).toString('base64').slice(0, bytes);
const pack = /git-upload-pack$/;
const readme = async (fixture = git) => (await fixture.walk()).documents.get('README.md')?.text;

describe('a host that fails', () => {
  it.each([
    [403, /returned status 403: the token may not read/],
    [404, /has no such repository/],
    [500, /returned status 500/],
    [503, /returned status 503/],
  ])('returns status %i', async (status, reason) => {
    server.fault = { answer: (response) => void response.writeHead(status).end('<b>Server</b>') };
    expect(await git.verify()).toEqual({ status: 'failed', reason: expect.stringMatching(reason) });
    await expect(git.walk()).rejects.toThrow(reason);
  });

  it('is not reachable', async () => {
    git.settings.address = `http://127.0.0.1:1${server.port.toString().slice(1)}/x.git`;
    expect((await git.verify()).status).toBe('failed');
  });

  it('returns a web page instead of a git response', async () => {
    server.fault = { answer: (response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>Hi') };
    expect(await git.verify()).toMatchObject({ status: 'failed', reason: expect.stringMatching(/\w/) });
  });

  it('repeats the credential in an error, and the quote of the error omits it', async () => {
    const token = 'glpat-3f9c1d-secret';
    git = new GitFixture({ address: server.url(repository.name) }, { token });
    fixtures.push(git);
    const line = (text: string) => `${(text.length + 4).toString(16).padStart(4, '0')}${text}`;
    server.fault = {
      answer: (response, { headers: { authorization } }) => {
        if (!authorization) return void response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
        const decoded = Buffer.from(authorization.slice('Basic '.length), 'base64').toString();
        const error = line(`ERR no access for ${decoded}, ${authorization}`);
        response.writeHead(200, { 'content-type': 'application/x-git-upload-pack-advertisement' });
        response.end(`${line('# service=git-upload-pack\n')}0000${error}`);
      },
    };
    const { reason } = await git.verify();
    expect(reason).toContain('no access for x-access-token:…, Basic …');
    const sync = await git.walk().then(
      () => 'completed',
      (error: Error) => error.message,
    );
    expect(sync).toContain('no access for x-access-token:…, Basic …');
    for (const text of [reason, sync]) {
      expect(text).not.toContain(token);
      expect(text).not.toContain(Buffer.from(`x-access-token:${token}`).toString('base64'));
    }
  });

  it('stops sending in the middle of a pack', async () => {
    git = connect({ fetchSeconds: 3 });
    repository.commit({ files: { 'large.md': noise(400_000) } });
    server.fault = { path: pack, body: (chunk, sent) => (sent > 4_000 ? null : chunk) };
    await expect(git.walk()).rejects.toThrow(/did not finish within 3 seconds|did not answer in time/);
    expect(temporaryFiles()).toEqual([]);
  });

  it('closes the connection in the middle of a pack', async () => {
    repository.commit({ files: { 'large.md': noise(400_000) } });
    server.fault = {
      path: pack,
      body: (chunk, sent) => {
        if (sent < 4_000) return chunk;
        void server.dropConnections();
        return null;
      },
    };
    await expect(git.walk()).rejects.toThrow(/was interrupted|damaged/);
    server.fault = null;
    expect(await readme()).toBe('# Handbook\n');
  });

  it('sends damaged objects', async () => {
    repository.commit({ files: { 'large.md': noise(400_000) } });
    server.fault = {
      path: pack,
      body: (chunk, sent) => {
        if (sent > 2_000) chunk[chunk.length >> 1] ^= 0xff;
        return chunk;
      },
    };
    await expect(git.walk()).rejects.toThrow(/damaged|was interrupted|git failed/);
    server.fault = null;
    expect(await readme()).toBe('# Handbook\n');
  });

  it('ignores the filter and sends everything', async () => {
    const plain = HostedRepository.create(root, `plain-${count}.git`, { allowsFilter: false });
    plain.commit({ files: { 'README.md': '# Plain\n', 'photo.png': noise(50_000) } });
    git.settings.address = server.url(plain.name);
    expect(await readme()).toBe('# Plain\n');
    plain.commit({ files: { 'README.md': '# Again\n' } });
    expect(await readme()).toBe('# Again\n');
  });

  it('ignores the filter and sends more than the limit', async () => {
    const plain = HostedRepository.create(root, `huge-${count}.git`, { allowsFilter: false });
    plain.commit({ files: { 'README.md': '# Plain\n', 'photo.bin': noise(3_000_000) } });
    git = connect({ repositoryBytes: 1_000_000 });
    git.settings.address = server.url(plain.name);
    await expect(git.walk()).rejects.toThrow(/repository is too large/);
    expect(temporaryFiles()).toEqual([]);
    await expect(git.walk(), 'the received part is not used').rejects.toThrow(/repository is too large/);
  });
});

describe('a hostile repository', () => {
  it('cannot inject options or paths with file names', async () => {
    const names = [
      '--upload-pack=touch /tmp/x.md',
      '-c.md',
      'a b.md',
      'quote".md',
      'new\nline.md',
      '\u202egnp.md',
      '$(id).md',
    ];
    repository.commit({ isRoot: true, files: Object.fromEntries(names.map((name) => [name, name])) });
    const { documents } = await git.walk();
    expect([...documents].map(([name, { text }]) => [name, text]).sort()).toEqual(
      names.map((one) => [one, one]).sort(),
    );
  });

  it.each([
    ['.git/config', '.git'],
    ['..', '..'],
  ])('is refused if a tree contains %s', async (_, name) => {
    const blob = repository.git(['hash-object', '-w', '--stdin'], 'evil').trim();
    const inner = repository.git(['mktree'], `100644 blob ${blob}\tconfig\n`).trim();
    const tree = repository.git(['mktree'], `040000 tree ${inner}\t${name}\n`).trim();
    commitTree(tree);
    await expect(git.walk()).rejects.toThrow(/damaged/);
    expect(existsSync(path.join(git.folder, 'config'))).toBe(false);
  });

  it('has a file with a name that no checkpoint can contain, which is skipped', async () => {
    const { cursor } = await git.walk();
    const long = `${'z'.repeat(300_000)}.md`;
    const blob = repository.git(['hash-object', '-w', '--stdin'], '# A\n').trim();
    commitTree(repository.git(['mktree'], ['a.md', long].map((name) => `100644 blob ${blob}\t${name}\n`).join('')));
    for (const pass of [await git.changes(cursor), await git.walk()]) {
      expect(pass.skipped).toEqual([{ externalId: long, reason: 'has a name of more than 1000 characters' }]);
      expect([...pass.documents.keys()]).toContain('a.md');
      expect(JSON.stringify(pass.checkpoints).length).toBeLessThan(2000);
    }
  });

  it('has submodules, which are not fetched', async () => {
    repository.commit({
      files: {
        '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch /tmp/countersign-owned"\n',
        'README.md': '# Handbook\n',
      },
      submodules: { x: '1'.repeat(40) },
    });
    expect(await readme()).toBe('# Handbook\n');
    expect(existsSync('/tmp/countersign-owned')).toBe(false);
  });

  it.each([{ listedBytes: 1000 }, { listedFiles: 30 }])('is refused if its files exceed %j', async (limits) => {
    git = connect(limits);
    const names = Array.from({ length: 30 }, (_, n) => `folder/page-${n}.md`);
    repository.commit({ files: Object.fromEntries(names.map((name) => [name, '# Page\n'])) });
    await expect(git.walk()).rejects.toThrow('The repository has too many files. Choose a smaller one.');
  });

  it('cannot make git use more memory than the limit', async () => {
    const plain = HostedRepository.create(root, `bomb-${count}.git`, { allowsFilter: false });
    // compressed to 30 kB
    plain.commit({ files: { 'README.md': '# Bomb\n', 'zeros.bin': Buffer.alloc(30_000_000) } });
    git = connect({ memoryKibibytes: 24 * 1024 });
    git.settings.address = server.url(plain.name);
    await expect(git.walk()).rejects.toThrow('contains an object that takes too much memory to read');
    expect(temporaryFiles()).toEqual([]);
    git = connect();
    git.settings.address = server.url(plain.name);
    expect(await readme()).toBe('# Bomb\n');
  });

  it('cannot block this process with the patterns of .gitattributes', async () => {
    repository.commit({
      files: {
        '.gitattributes': '*a*a*a*a*a*a*a*b linguist-generated\n'.repeat(7000),
        ...Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`${'a'.repeat(200)}${n}.md`, '# Page\n'])),
      },
    });
    await expect(git.walk()).rejects.toThrow('The patterns for files take too long to match. Simplify them.');
  });

  it('contains a file above the limit, which is skipped and not fetched again', async () => {
    git = connect({ filesBytes: 300_000, fileBytes: 200_000 });
    const files = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`page-${n}.md`, `# ${n}\n`]));
    repository.commit({ files: { ...files, 'log.csv': noise(900_000) } });
    // the rest of the large file is never sent, so the result does not depend on the speed of the machine
    server.fault = { path: pack, body: (chunk, sent) => (sent > 400_000 ? null : chunk) };
    const first = await git.walk();
    expect(first.unreadable).toEqual({ 'log.csv': 'is too large' });
    expect(first.documents.get('page-19.md')!.text).toBe('# 19\n');
    server.requests.length = 0;
    expect((await git.walk()).unreadable).toEqual({ 'log.csv': 'is too large' });
    expect(server.requests.filter(({ path }) => path.endsWith('upload-pack')).length).toBeLessThan(3);
  });

  it.each([
    'ext::sh -c "touch /tmp/owned"',
    'file:///etc',
    '/etc/passwd',
    'git://127.0.0.1/x.git',
    '--upload-pack=touch',
    'ssh://-oProxyCommand=touch/x.git',
    'git@-oProxyCommand=touch:x.git',
    'https://user:secret@127.0.0.1/x.git',
  ])('is refused before any command with the address %s', async (address) => {
    git.settings.address = address;
    const { status } = await git.verify();
    expect(status).toBe('failed');
    expect(git.connector.check!({ address })).toEqual([expect.objectContaining({ pointer: '/settings/address' })]);
    await expect(git.walk()).rejects.toThrow(/address|path of a repository|valid/);
  });
});

describe('the stored copy', () => {
  it('is locked until the content of the last document is read', async () => {
    const locked: boolean[] = [];
    server.fault = {
      path: pack,
      body: (chunk) => {
        locked.push(existsSync(path.join(git.folder, 'lock')));
        return chunk;
      },
    };
    const { cursor } = await git.walk();
    repository.commit({ files: { 'README.md': '# New\n' } });
    expect((await git.changes(cursor)).documents.get('README.md')!.text).toBe('# New\n');
    expect(locked.length).toBeGreaterThan(3);
    expect(locked).not.toContain(false);
    expect(existsSync(path.join(git.folder, 'lock'))).toBe(false);
  });

  it.each(['repository.git', 'reader.git', 'repository.git/HEAD'])('is created again without %s', async (name) => {
    await git.walk();
    repository.commit({ files: { 'README.md': '# New\n' } });
    rmSync(path.join(git.folder, name), { recursive: true });
    await git.walk().catch((error: Error) => expect(error.message).toMatch(/damaged/));
    expect(await readme()).toBe('# New\n');
  });

  it('is fetched again after damage', async () => {
    await git.walk();
    const packs = path.join(git.folder, 'repository.git', 'objects', 'pack');
    for (const name of readdirSync(packs).filter((one) => one.endsWith('.pack'))) {
      chmodSync(path.join(packs, name), 0o600); // git makes packs read-only
      truncateSync(path.join(packs, name), 20);
    }
    await git.walk().catch((error: Error) => expect(error.message).toMatch(/damaged/));
    expect(await readme()).toBe('# Handbook\n');
  });

  it('recovers from SIGKILL during a fetch, and the child processes end', async () => {
    repository.commit({ files: { 'large.md': noise(900_000) } });
    server.fault = { path: pack, body: (chunk, sent) => (sent > 200_000 ? null : chunk) };
    const { tenantId, id } = git.connection;
    const walk = [path.resolve('test/kit/git-walk.main.ts'), git.root, String(git.settings.address), tenantId, id];
    const options = ['--experimental-transform-types', '--disable-warning=ExperimentalWarning'];
    const child = spawn(process.execPath, [...options, ...walk], { stdio: 'inherit' });
    await expect.poll(() => existsSync(git.folder) && temporaryFiles().length).toBeGreaterThan(0);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await expect.poll(() => processesIn(git.folder)).toEqual([]);
    const longAgo = new Date(Date.now() - 60_000); // a killed process does not renew the lock
    utimesSync(path.join(git.folder, 'lock'), longAgo, longAgo);
    server.fault = null;
    expect(await readme()).toBe('# Handbook\n');
    expect(temporaryFiles()).toEqual([]);
  });

  it('is used by one pass at a time, and a stale lock is replaced', async () => {
    await git.walk();
    const signal = new AbortController().signal;
    const lock = await StorageLock.acquire(git.folder, 0, signal);
    await expect(StorageLock.acquire(git.folder, 0, signal)).rejects.toThrow(/Another process/);
    await lock.release();
    const file = path.join(git.folder, 'lock');
    writeFileSync(file, '1 dead');
    const longAgo = new Date(Date.now() - 60_000);
    utimesSync(file, longAgo, longAgo);
    expect(await readme()).toBe('# Handbook\n');
    expect(existsSync(file)).toBe(false);
  });

  it('is unlocked after an abort, which ends the child processes', async () => {
    server.fault = { path: pack, body: () => null };
    const stop = new AbortController();
    const walk = git.walk({ signal: stop.signal });
    await expect.poll(() => processesIn(git.folder).length).toBeGreaterThan(0);
    await expect.poll(() => server.requests.some(({ path }) => path.endsWith('upload-pack'))).toBe(true);
    stop.abort(new Error('stopped'));
    await expect(walk).rejects.toThrow('stopped');
    await expect.poll(() => processesIn(git.folder)).toEqual([]);
    expect(existsSync(path.join(git.folder, 'lock'))).toBe(false);
  });
});

const temporaryFiles = () =>
  readdirSync(git.folder, { recursive: true, encoding: 'utf8' }).filter((name) => /tmp_|\.lock$/.test(name));

function processesIn(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(`HOME=${folder}\0`);
      } catch {
        return false;
      }
    });
}
