import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { BlobReader } from './blob-reader.js';
import { GitProcess } from './git-process.js';

let folder: string;
let stop: AbortController;
let started: GitProcess[];
let reader: BlobReader;

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-blobs-'));
  git(['init', '--quiet', '--bare', 'r.git']);
  stop = new AbortController();
  started = [];
  reader = new BlobReader(() => {
    const command = ['git', '--git-dir=r.git', 'cat-file', '--batch-command'];
    const one = new GitProcess({ command, folder, host: 'git.example.com', signal: stop.signal, maxSeconds: 100 });
    started.push(one);
    return one;
  });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const git = (args: readonly string[], input: string | Buffer = '') =>
  execFileSync('git', args, { cwd: folder, input, encoding: 'utf8' }).trim();
const store = (content: string | Buffer) => git(['--git-dir=r.git', 'hash-object', '-w', '--stdin'], content);
const outcomes = () =>
  Promise.all(started.map(({ finished }) => finished.then(String, ({ message }: Error) => message)));

it('ends its process when it is closed', async () => {
  expect((await reader.read(store('hello')))!.toString()).toBe('hello');
  reader.close();
  expect(await outcomes()).toEqual(['undefined']);
});

it('ends its process when the rest of a response is not read', async () => {
  const blob = store('x');
  const files = Array.from({ length: 20_000 }, (_, n) => `100644 blob ${blob}\tfile-${n}\n`).join('');
  const tree = git(['--git-dir=r.git', 'mktree'], files);
  await expect(reader.read(tree)).rejects.toThrow('The stored copy of the repository is damaged.');
  expect(await outcomes()).toEqual(['The stored copy of the repository is damaged.']);
  expect((await reader.read(blob))!.toString(), 'with another process').toBe('x');
  reader.close();
});

it('fails with the reason of an abort, and ends its process', async () => {
  const blob = store(Buffer.alloc(5_000_000, 'x'));
  await reader.sizeOf(blob);
  const reading = Promise.allSettled([reader.read(blob), reader.read(blob)]);
  stop.abort(new Error('stopped'));
  expect(await reading).toMatchObject(Array(2).fill({ status: 'rejected', reason: { message: 'stopped' } }));
  reader.close();
  expect(new Set(await outcomes())).toEqual(new Set(['stopped']));
});
