import type { FileHandle } from 'node:fs/promises';
import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../command-error.js';
import { exitCodes } from '../exit-codes.js';

const pollMs = 50;
/** No holder needs longer: it makes at most two requests to the server, of one minute each. */
const staleMs = 150_000;

/*
 * Each holder creates a file with the next number, `<file>.<number>`, and only one command can create it. The last file
 * is never deleted, only marked as released. Deleting the lock of a killed holder would not be safe: if two commands
 * find it at the same time, the second one could delete the new lock of the first.
 */
const held = () => `${process.pid} ${os.hostname()}\n`;
const released = 'released\n';

interface OwnLock {
  path: string;
  handle: FileHandle;
}

/** Runs `work` while no other command of this person does: parallel commands refresh a token once. */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw notWritten(file, error);
  });
  const own = await acquire(file);
  try {
    return await work();
  } finally {
    await release(own);
  }
}

async function acquire(file: string): Promise<OwnLock> {
  const deadline = Date.now() + 2 * staleMs;
  for (;;) {
    const own = await tryLock(file);
    if (own) return own;
    if (Date.now() > deadline)
      throw new CommandError(
        exitCodes.failure,
        'locked',
        `Another command holds ${file}. Delete ${file}.* if none is running.`,
      );
    await sleep(pollMs);
  }
}

async function tryLock(file: string): Promise<OwnLock | null> {
  const last = Math.max(0, ...(await numbersOf(file)));
  if (last && !(await isFree(`${file}.${last}`))) return null;
  const own = await create(file, last + 1);
  if (!own) return null;
  // The list of files may be outdated by now: this number may belong to a lock that was released and deleted since.
  const numbers = await numbersOf(file);
  const isHolder = numbers.every((number) => number <= last + 1);
  const unneeded = isHolder
    ? numbers.filter((number) => number <= last).map((number) => `${file}.${number}`)
    : [own.path];
  if (!isHolder) await own.handle.close();
  await Promise.all(unneeded.map((one) => fs.rm(one, { force: true })));
  return isHolder ? own : null;
}

async function numbersOf(file: string): Promise<number[]> {
  const start = `${path.basename(file)}.`;
  const names = await fs.readdir(path.dirname(file));
  return names.flatMap((name) => {
    const number = name.startsWith(start) ? name.slice(start.length) : '';
    return /^\d{1,15}$/.test(number) ? [Number(number)] : [];
  });
}

/** Null: another command was first. */
async function create(file: string, number: number): Promise<OwnLock | null> {
  const own = `${file}.${number}`;
  let handle: FileHandle | undefined;
  try {
    handle = await fs.open(own, 'wx', 0o600);
    await handle.write(held());
    return { path: own, handle };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return null;
    await handle?.close();
    if (handle) await fs.rm(own, { force: true }); // a full disk leaves an empty file, for which other commands would wait
    throw notWritten(file, error as Error);
  }
}

async function release({ handle }: OwnLock): Promise<void> {
  await handle
    .write(released)
    .finally(() => handle.close())
    .catch(() => undefined); // must not replace the outcome of the work; an unmarked lock is free once this command ends
}

function notWritten(file: string, error: NodeJS.ErrnoException): CommandError {
  const message = `${file} cannot be written (${error.code ?? error.message}).`;
  return new CommandError(exitCodes.failure, 'login-file', message, { path: file });
}

/** Released, or its holder was killed or has stopped for a long time. */
async function isFree(lock: string): Promise<boolean> {
  try {
    const [{ mtimeMs }, text] = await Promise.all([fs.stat(lock), fs.readFile(lock, 'utf8')]);
    if (text.endsWith(released) || Date.now() - mtimeMs > staleMs) return true;
    const [, pid, host] = /^(\d+) (.*)\n/.exec(text) ?? []; // either line may be incomplete
    return host === os.hostname() && !isRunning(Number(pid));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false; // deleted by the holder of a later one
    throw notWritten(lock, error as Error);
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
