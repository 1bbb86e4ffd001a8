import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { CursorExpired } from '../src/connections/connections.error.js';
import { connectorContract } from './connector-contract.js';
import { HostedRepository } from './kit/git-commits.js';
import { GitFixture, type GitPassResult } from './kit/git-fixture.js';
import { GitServer } from './kit/git-server.js';
import { testCertificate } from './kit/tls-certificate.js';

const token = 'glpat-3f9c1d-secret';
let root: string;
let server: GitServer;
let repository: HostedRepository;
let git: GitFixture;
let count = 0;

beforeAll(async () => {
  root = mkdtempSync(path.join(os.tmpdir(), 'countersign-git-host-'));
  server = await GitServer.start({ root, password: token });
});
afterAll(async () => {
  await server.stop();
  rmSync(root, { recursive: true, force: true });
});
beforeEach(() => {
  repository = HostedRepository.create(root, `acme-${++count}.git`);
  repository.commit({
    files: { 'README.md': '# Handbook\n', 'docs/hiring.md': '# Hiring\n', 'src/main.ts': 'run();\n' },
  });
  git = new GitFixture({ address: server.url(repository.name) }, { token });
});
afterEach(() => {
  git.dispose();
  server.fault = null;
  server.requests.length = 0;
});

const texts = ({ documents }: GitPassResult) =>
  Object.fromEntries([...documents].map(([name, { text }]) => [name, text]));
const fingerprints = ({ documents }: GitPassResult) =>
  new Map([...documents].map(([name, { fingerprint }]) => [name, fingerprint]));
const names = ({ documents }: GitPassResult) => [...documents.keys()];

connectorContract('git', async () => {
  const hosted = HostedRepository.create(root, 'contract.git');
  hosted.commit({ files: { 'a.md': '# A\n', 'b.md': '# B\n' } });
  const { connector: kind, outgoing } = new GitFixture({});
  return {
    kind,
    outgoing,
    settings: { address: server.url(hosted.name) },
    secrets: { token },
    brokenSettings: { address: server.url('nothing.git') },
    change: async () => void hosted.commit({ files: { 'a.md': '# Another\n' } }),
    remove: async () => void hosted.commit({ files: { 'b.md': null } }),
  };
});

describe('a complete walk', () => {
  it('reads the documents of the default branch and nothing else', async () => {
    repository.commit({
      files: {
        'logo.png': 'png',
        'package-lock.json': '{}',
        'app.min.js': 'x',
        '.env.md': 'secret',
        '.github/CONTRIBUTING.md': '# Contribute\n',
        'node_modules/left-pad/README.md': '# no',
        'api.pb.go': 'package api',
      },
      links: { 'link.md': '/etc/passwd' },
      submodules: { 'lib.md': '1'.repeat(40) },
    });
    repository.commit({ branch: 'other', files: { 'other.md': 'other' } });
    const walk = await git.walk();
    expect(texts(walk)).toEqual({
      '.github/CONTRIBUTING.md': '# Contribute\n',
      'README.md': '# Handbook\n',
      'docs/hiring.md': '# Hiring\n',
      'src/main.ts': 'run();\n',
    });
    expect(walk.skipped).toEqual([]);
    expect(walk.expected).toBe(4);
    expect(walk.documents.get('src/main.ts')).toMatchObject({
      kind: 'code',
      title: 'main.ts',
      container: `acme-${count}`,
      position: 'src/main.ts',
      mediaType: 'text/x-source',
      url: 'git:/code/src/main.ts',
      fingerprint: repository.git(['rev-parse', 'main:src/main.ts']).trim(),
    });
  });

  it('reads the selected branch and names it in the status', async () => {
    repository.commit({ branch: 'release/2', files: { 'notes.md': '# Notes\n' } });
    git.settings.branch = 'release/2';
    expect(texts(await git.walk())).toEqual({ 'notes.md': '# Notes\n' });
    expect(await git.verify()).toEqual({ status: 'connected', reason: 'Reads the branch release/2.' });
    git.settings.branch = '';
    expect(await git.verify()).toEqual({ status: 'connected', reason: 'Reads the branch main.' });
  });

  it('applies the patterns of the settings and of .gitattributes', async () => {
    repository.commit({
      files: {
        'docs/old/a.md': 'a',
        'docs/api.md': 'generated',
        'docs/plan.txt': 'plan',
        '.gitattributes': 'docs/api.md linguist-generated\n*.md text -linguist-vendored\n',
      },
    });
    git.settings = { ...git.settings, include: ['docs/'], exclude: ['docs/old'] };
    expect(names(await git.walk())).toEqual(['docs/hiring.md', 'docs/plan.txt']);
  });

  it('cites the file at the commit, on hosts with known web pages', async () => {
    const commit = repository.commit({ files: { 'a b/ü#.md': '# Ü\n' } });
    git.settings = { ...git.settings, webLinks: 'gitea', webAddress: 'https://git.example.com/acme/handbook/' };
    const document = (await git.walk()).documents.get('a b/ü#.md')!;
    expect(document.url).toBe(`https://git.example.com/acme/handbook/src/commit/${commit}/a%20b/%C3%BC%23.md`);
    expect(document.isUrlPinned).toBe(true);
  });

  it('reports names that are not UTF-8, Git LFS pointers and files above the limit', async () => {
    repository.commit({
      files: {
        'weights.md': `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 9\n`,
        'large.ts': 'x'.repeat(1_100_000),
      },
      rawFiles: { 'caf\xe9.md': 'x' },
    });
    const walk = await git.walk();
    expect(walk.skipped).toEqual([{ externalId: 'caf\\xe9.md', reason: 'has a name that is not UTF-8' }]);
    expect(walk.unreadable).toEqual({
      'weights.md': 'is stored in Git LFS, which is not supported',
      'large.ts': 'is too large: 1.0 MiB, the limit is 1.0 MiB',
    });
  });

  it('fetches only files that are read, and no file with a stored fingerprint', async () => {
    repository.commit({ files: { 'photo.png': Buffer.alloc(3_000_000, 7) } });
    const first = await git.walk();
    expect(storedObjects(git)).not.toContain(repository.git(['rev-parse', 'main:photo.png']).trim());
    rmSync(git.folder, { recursive: true });
    server.requests.length = 0;
    const again = await git.walk({ known: fingerprints(first) });
    expect(names(again)).toEqual(names(first));
    expect(storedObjects(git)).not.toContain(repository.git(['rev-parse', 'main:README.md']).trim());
  });

  it('reads a repository in the object format SHA-256', async () => {
    const modern = HostedRepository.create(root, 'sha256.git', { objectFormat: 'sha256' });
    modern.commit({ files: { 'a.md': '# A\n' } });
    git.settings.address = server.url(modern.name);
    expect(texts(await git.walk())).toEqual({ 'a.md': '# A\n' });
  });

  it('reads another repository after the address was changed', async () => {
    await git.walk();
    const other = HostedRepository.create(root, `other-${count}.git`);
    other.commit({ files: { 'b.md': '# B\n' } });
    git.settings.address = server.url(other.name);
    expect(texts(await git.walk())).toEqual({ 'b.md': '# B\n' });
  });

  it('continues an interrupted walk at its commit, even on another server', async () => {
    const files = Object.fromEntries(Array.from({ length: 600 }, (_, n) => [`page-${1000 + n}.md`, `# ${n}\n`]));
    const commit = repository.commit({ files, isRoot: true });
    const first = await git.walk();
    expect(first.checkpoints).toEqual([
      { commit, scope: expect.any(String), after: 'page-1499.md' },
      { commit, scope: expect.any(String), after: 'page-1599.md' },
    ]);
    repository.commit({ files: { 'page-1599.md': '# new\n' } });
    rmSync(git.folder, { recursive: true });
    const rest = await git.walk({ progress: first.checkpoints[0] });
    expect(names(rest)).toEqual(names(first).slice(500));
    expect(rest.documents.get('page-1599.md')!.text).toBe('# 599\n');
    expect(rest.cursor).toEqual({ commit, scope: expect.any(String) });
    expect(texts(await git.changes(rest.cursor))).toEqual({ 'page-1599.md': '# new\n' });
  });

  it('restarts if the commit of an interrupted walk no longer exists, and then requires another complete walk', async () => {
    const { cursor } = await git.walk();
    const progress = { ...cursor, commit: '1'.repeat(40), after: 'README.md' };
    const walk = await git.walk({ progress });
    expect(names(walk)).toEqual(['README.md', 'docs/hiring.md', 'src/main.ts']);
    await expect(git.changes(walk.cursor)).rejects.toBeInstanceOf(CursorExpired);
  });
});

const storedObjects = ({ folder }: GitFixture) => {
  const hosted = new GitObjects(path.join(folder, 'repository.git'));
  return hosted.list();
};

class GitObjects {
  constructor(private readonly folder: string) {}

  list(): string[] {
    const packs = path.join(this.folder, 'objects', 'pack');
    return readdirSync(packs)
      .filter((name) => name.endsWith('.idx'))
      .flatMap((name) => {
        const shown = repository.git(['show-index'], readFileSync(path.join(packs, name)));
        return shown.split('\n').map((line) => line.split(' ')[1]);
      });
  }
}

describe('changes since the last commit', () => {
  it('are the changed files, with the date of the new commit', async () => {
    const { cursor } = await git.walk();
    const commit = repository.commit({
      files: { 'README.md': '# New\n', 'docs/hiring.md': null, 'docs/new.md': '# Added\n', 'logo.png': 'x' },
      links: { 'src/main.ts': 'elsewhere' },
      at: 1_764_100_000,
    });
    const changes = await git.changes(cursor);
    expect(texts(changes)).toEqual({ 'README.md': '# New\n', 'docs/new.md': '# Added\n' });
    expect(changes.removed.sort()).toEqual(['docs/hiring.md', 'src/main.ts']);
    expect(changes.documents.get('README.md')!.updatedAt).toEqual(new Date(1_764_100_000_000));
    expect(changes.cursor).toEqual({ ...cursor, commit });
  });

  it('are empty if the tip is the same, and fetch nothing', async () => {
    const { cursor } = await git.walk();
    server.requests.length = 0;
    const changes = await git.changes(cursor);
    expect(changes.documents.size + changes.removed.length).toBe(0);
    expect(changes.cursor).toEqual(cursor);
    expect(server.requests.filter(({ body }) => body.includes('fetch')).length).toBe(0);
  });

  it('are found on a server without a copy of the repository', async () => {
    const { cursor } = await git.walk();
    repository.commit({ files: { 'README.md': '# New\n' } });
    rmSync(git.folder, { recursive: true });
    expect(texts(await git.changes(cursor))).toEqual({ 'README.md': '# New\n' });
  });

  it('are found after a force-push while the last commit still exists', async () => {
    const { cursor } = await git.walk();
    repository.commit({ isRoot: true, files: { 'README.md': '# Handbook\n', 'fresh.md': '# Fresh\n' } });
    const changes = await git.changes(cursor);
    expect(texts(changes)).toEqual({ 'fresh.md': '# Fresh\n' });
    expect(changes.removed.sort()).toEqual(['docs/hiring.md', 'src/main.ts']);
  });

  it('require a complete walk if the host no longer has the last commit', async () => {
    const { cursor } = await git.walk();
    repository.commit({ isRoot: true, files: { 'fresh.md': '# Fresh\n' } });
    repository.git(['reflog', 'expire', '--expire=now', '--all']);
    repository.git(['gc', '--quiet', '--prune=now']);
    rmSync(git.folder, { recursive: true });
    await expect(git.changes(cursor)).rejects.toBeInstanceOf(CursorExpired);
    expect(names(await git.walk())).toEqual(['fresh.md']);
  });

  it.each([
    ['the patterns changed', () => void (git.settings.exclude = ['docs/'])],
    [
      '.gitattributes changed',
      () => void repository.commit({ files: { '.gitattributes': '*.md linguist-vendored\n' } }),
    ],
  ])('require a complete walk if %s', async (_, change) => {
    const { cursor } = await git.walk();
    change();
    await expect(git.changes(cursor)).rejects.toBeInstanceOf(CursorExpired);
  });
});

describe('the credential', () => {
  it('is sent to the host and stored nowhere', async () => {
    await git.walk();
    expect(server.requests.at(-1)!.user).toBe(`x-access-token:${token}`);
    const files = readdirSync(git.root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(5);
    for (const { parentPath, name } of files)
      expect(readFileSync(path.join(parentPath, name), 'latin1')).not.toContain(token);
  });

  it('is in no argument or environment variable of a process', async () => {
    const seen: string[] = [];
    server.fault = {
      answer(response) {
        for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
          for (const part of ['cmdline', 'environ'])
            try {
              const text = readFileSync(`/proc/${pid}/${part}`, 'latin1');
              if (/git/.test(text)) seen.push(text);
            } catch {
              // the process has ended
            }
        response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end();
      },
    };
    expect((await git.verify()).status).toBe('failed');
    expect(seen.some((text) => text.includes('remote-http'))).toBe(true);
    expect(seen.some((text) => text.includes(token))).toBe(false);
  });

  it.each([
    ['a wrong token', { token: 'wrong' }],
    ['no token', {}],
  ])('is refused: %s', async (_, secrets) => {
    git.secrets = secrets as Record<string, string>;
    const { status, reason } = await git.verify();
    expect([status, reason]).toEqual([
      'failed',
      '127.0.0.1 does not accept the credential. Enter a token that may read this repository.',
    ]);
    await expect(git.walk()).rejects.toThrow(/does not accept the credential/);
  });

  it('is accepted with a configured user name', async () => {
    const own = await GitServer.start({ root, user: 'x-token-auth', password: token });
    git.settings = { address: own.url(repository.name), user: 'x-token-auth' };
    expect((await git.verify()).status).toBe('connected');
    await own.stop();
  });
});

describe('HTTPS', () => {
  it('trusts only the configured certificate authority', async () => {
    const secure = await GitServer.start({ root, password: token, tls: testCertificate });
    git.settings = { address: secure.url(repository.name) };
    expect(await git.verify()).toEqual({ status: 'failed', reason: expect.stringContaining('certificate') });
    expect(secure.requests).toEqual([]);
    git.settings.certificateAuthority = testCertificate.cert.replaceAll('\n', ' ');
    expect(await git.verify()).toMatchObject({ status: 'connected' });
    expect(texts(await git.walk())).toMatchObject({ 'README.md': '# Handbook\n' });
    await secure.stop();
  });
});

describe('the destination', () => {
  it('is refused in a private network that the operator has not allowed', async () => {
    const closed = new GitFixture(git.settings, { token }, {}, '10.0.0.0/8');
    await expect(closed.verify()).rejects.toThrow(/127\.0\.0\.1 is in a private range/);
    await expect(closed.walk()).rejects.toThrow(/is in a private range/);
    expect(server.requests).toEqual([]);
    closed.dispose();
  });

  it('is the checked IP address of a host name', async () => {
    git.settings.address = `http://localhost:${server.port}/${repository.name}`;
    expect((await git.verify()).status).toBe('connected');
  });

  it('does not change with a redirect, which is reported', async () => {
    server.fault = { answer: (response) => void response.writeHead(301, { location: 'http://127.0.0.1:1/' }).end() };
    const { status, reason } = await git.verify();
    expect([status, reason]).toEqual([
      'failed',
      '127.0.0.1 redirects to another address. Enter the address that the host shows now.',
    ]);
  });
});

describe('an address of IPv6', () => {
  it('is connected to without a lookup', async () => {
    const ipv6 = await GitServer.start({ root, address: '::1' });
    const public6 = new GitFixture({ address: ipv6.url(repository.name) }, {}, {}, '::1/128');
    expect(texts(await public6.walk())['README.md']).toBe('# Handbook\n');
    public6.dispose();
    await ipv6.stop();
  });
});

describe('the folder of a connection', () => {
  it('contains no hooks and no credential helper, and nothing is checked out', async () => {
    await git.walk();
    expect(existsSync(path.join(git.folder, 'repository.git', 'hooks'))).toBe(false);
    expect(existsSync(path.join(git.folder, 'repository.git', 'index'))).toBe(false);
    expect(readdirSync(git.folder).sort()).toEqual(['reader.git', 'repository.git']);
  });
});
