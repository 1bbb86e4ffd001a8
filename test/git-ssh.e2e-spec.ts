import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { HostedRepository } from './kit/git-commits.js';
import { GitFixture } from './kit/git-fixture.js';
import { canSignIn, newKey, SshServer } from './kit/ssh-server.js';

let folder: string;
let server: SshServer;
let repository: HostedRepository;
let git: GitFixture;

beforeAll(async () => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-ssh-'));
  server = await SshServer.start(path.join(folder, 'sshd'));
  repository = HostedRepository.create(folder, 'handbook.git');
  repository.commit({ files: { 'README.md': '# Handbook\n' } });
  newKey(path.join(folder, 'stranger'));
  newKey(path.join(folder, 'locked'), 'passphrase');
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});
beforeEach(({ skip }) => {
  git = new GitFixture(
    { address: server.url(repository.folder), hostKeys: [server.fingerprint] },
    { privateKey: server.privateKey },
  );
  skip(!canSignIn, 'sshd starts commands with the login shell of the user, and this user has none');
});
afterEach(() => git.dispose());

const readme = async () => (await git.walk()).documents.get('README.md')?.text;

it.each([
  ['its fingerprint', () => server.fingerprint],
  ['its public key', () => server.hostKey],
  ['a line of known_hosts', () => `git.example.com ${server.hostKey}`],
])('reads over SSH from a host with %s as the host key', async (_, key) => {
  git.settings.hostKeys = [key()];
  expect(await git.verify()).toEqual({ status: 'connected', reason: 'Reads the branch main.' });
  expect(await readme()).toBe('# Handbook\n');
  const changed = repository.commit({ files: { 'README.md': '# New\n' } });
  expect((await git.walk()).cursor).toMatchObject({ commit: changed });
  repository.commit({ files: { 'README.md': '# Handbook\n' } });
});

it('accepts a private key without line breaks, and stores it nowhere', async () => {
  git.secrets.privateKey = server.privateKey.replaceAll('\n', '');
  expect(await readme()).toBe('# Handbook\n');
  const [, body] = server.privateKey.split('\n');
  const files = readdirSync(git.root, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  for (const { parentPath, name } of files)
    expect(readFileSync(path.join(parentPath, name), 'latin1')).not.toContain(body.slice(0, 40));
  await expect.poll(() => agents()).toEqual([]);
});

it('shows the fingerprint of a host without a configured host key, and does not connect', async () => {
  git.settings.hostKeys = [];
  const { status, reason } = await git.verify();
  expect(status).toBe('failed');
  expect(reason).toContain(`127.0.0.1 presents ${server.fingerprint} (ssh-ed25519)`);
  await expect(git.walk()).rejects.toThrow(/Enter a host key/);
});

it('refuses a host that presents another key', async () => {
  const [, other] = readFileSync(path.join(folder, 'stranger.pub'), 'utf8').split(' ');
  git.settings.hostKeys = [`SHA256:${'A'.repeat(43)}`];
  expect((await git.verify()).reason).toMatch(/presents other host keys than the entered ones: SHA256:/);
  git.settings.hostKeys = [`ssh-ed25519 ${other}`];
  expect((await git.verify()).reason).toMatch(/host key of 127.0.0.1 does not match/);
});

it.each([
  ['a key that the host does not accept', () => readFileSync(path.join(folder, 'stranger'), 'utf8'), /does not accept/],
  ['no key', () => '', /does not accept the private key/],
  ['a key with a passphrase', () => readFileSync(path.join(folder, 'locked'), 'utf8'), /without a passphrase/],
  ['text that is not a private key', () => 'ssh-ed25519 AAAA', /The private key cannot be used/],
])('explains %s', async (_, key, reason) => {
  git.secrets.privateKey = key();
  const verification = await git.verify();
  expect(verification).toEqual({ status: 'failed', reason: expect.stringMatching(reason) });
});

it('explains a repository that is missing', async () => {
  git.settings.address = server.url('/nothing.git');
  expect((await git.verify()).reason).toMatch(/has no such repository/);
});

const agents = () =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'latin1').startsWith('ssh-agent\0-a\0agent-');
      } catch {
        return false;
      }
    });
