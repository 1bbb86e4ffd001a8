import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { rolldown } from 'rolldown';
import { beforeAll, beforeEach, expect, it } from 'vitest';
import { withFileLock } from '../cli/client/file-lock.js';

let contender: string;
let folder: string;
let lock: string;

beforeAll(async () => {
  const bundle = await rolldown({
    input: 'test/kit/lock-contender.main.ts',
    platform: 'node',
    resolve: { extensionAlias: { '.js': ['.ts', '.js'] } },
  });
  contender = path.join(mkdtempSync(path.join(process.env.TEST_FOLDER!, 'contender-')), 'contender.mjs');
  await bundle.write({ file: contender, format: 'esm' });
  await bundle.close();
});
beforeEach(() => {
  folder = mkdtempSync(path.join(process.env.TEST_FOLDER!, 'lock-'));
  lock = path.join(folder, 'logins.lock');
});

/** No process has this id. */
const ofDeadHolder = `999999999 ${os.hostname()}\n`;

/** Resolves with the exit code or the signal. */
async function contend(rounds: number, lastRound: number): Promise<number | string> {
  const marker = path.join(folder, 'marker');
  const child = spawn(process.execPath, [contender, lock, marker, String(rounds), String(lastRound)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  return code ?? signal!;
}

it('is held by one of many processes at a time, some of which are killed while they hold it', async () => {
  writeFileSync(`${lock}.1`, ofDeadHolder);
  const rounds = 6;
  const ends = await Promise.all(Array.from({ length: 12 }, (_, nth) => contend(rounds, nth + 1)));
  expect(ends).toEqual([...Array<string>(rounds).fill('SIGKILL'), ...Array<number>(12 - rounds).fill(0)]);
});

it('is taken over by only one of many commands that find the lock of a killed holder at the same time', async () => {
  for (let round = 0; round < 5; round++) {
    writeFileSync(`${lock}.${round * 1000 + 500}`, ofDeadHolder);
    let holders = 0;
    let entered = 0;
    await Promise.all(
      Array.from({ length: 20 }, () =>
        withFileLock(lock, async () => {
          expect(++holders).toBe(1);
          entered++;
          await new Promise(setImmediate);
          holders--;
        }),
      ),
    );
    expect(entered).toBe(20);
  }
});

it('leaves one small file, which is marked as released', async () => {
  await withFileLock(lock, async () => undefined);
  await withFileLock(lock, async () => undefined);
  expect(readdirSync(folder)).toEqual(['logins.lock.2']);
  expect(readFileSync(`${lock}.2`, 'utf8')).toBe(`${process.pid} ${os.hostname()}\nreleased\n`);
});

it('does not take over a lock of another machine, where it cannot see whether the holder is running', async () => {
  writeFileSync(`${lock}.1`, '999999999 another-machine\n');
  let isDone = false;
  const waiting = withFileLock(lock, async () => void (isDone = true));
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(isDone).toBe(false);
  writeFileSync(`${lock}.1`, '999999999 another-machine\nreleased\n');
  await waiting;
});

it('is free if its holder ended before the release was written completely', async () => {
  writeFileSync(`${lock}.1`, `${ofDeadHolder}rele`);
  await withFileLock(lock, async () => undefined);
  expect(readdirSync(folder)).toEqual(['logins.lock.2']);
});
