import os from 'node:os';
import { expect, it } from 'vitest';
import { GitProcess, readOutput } from './git-process.js';

const run = (command: readonly string[], options = {}) => {
  const signal = new AbortController().signal;
  const host = 'git.example.com';
  return readOutput(new GitProcess({ command, folder: os.tmpdir(), host, signal, maxSeconds: 60, ...options }), 1024);
};

it('names a program that is not installed', async () => {
  await expect(run(['no-such-program'])).rejects.toMatchObject({
    code: 'not-installed',
    message: 'The program "no-such-program" is not installed on the server.',
  });
});

it('passes arguments unchanged', async () => {
  expect((await run(['printf', '%s|', '$(id)', '-d', "a'b", ''])).toString()).toBe("$(id)|-d|a'b||");
});

it('quotes the messages of a host without the credentials', async () => {
  const script = 'echo "fatal: you are ada:secret+1 (c2VjcmV0)" >&2; exit 1';
  const secrets = ['secret+1', 'c2VjcmV0'];
  await expect(run(['/bin/sh', '-c', script], { isOnline: true, secrets })).rejects.toMatchObject({
    message: 'git failed. Message of git: “fatal: you are ada:… (…)”.',
  });
});
