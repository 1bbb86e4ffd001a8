import fs from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandError } from '../command-error.js';
import { exitCodes } from '../exit-codes.js';

const pollMs = 50;
/** No holder needs longer: a request to the server is limited to 30 seconds. */
const staleMs = 60_000;

/** Runs `work` while no other command of this person does: parallel commands refresh a token once. */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw notWritten(file, error);
  });
  const deadline = Date.now() + 2 * staleMs;
  while (!(await tryLock(file))) {
    if (Date.now() > deadline)
      throw new CommandError(
        exitCodes.failure,
        'locked',
        `Another command holds ${file}. Delete it if none is running.`,
      );
    await sleep(pollMs);
  }
  try {
    return await work();
  } finally {
    await fs.rm(file, { force: true });
  }
}

async function tryLock(file: string): Promise<boolean> {
  try {
    await fs.writeFile(file, String(process.pid), { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') {
      if (await isStale(file)) await fs.rm(file, { force: true });
      return false;
    }
    await fs.rm(file, { force: true }); // a full disk leaves an empty file, for which other commands would wait
    throw notWritten(file, error as Error);
  }
}

function notWritten(file: string, error: NodeJS.ErrnoException): CommandError {
  const message = `${file} cannot be written (${error.code ?? error.message}).`;
  return new CommandError(exitCodes.failure, 'login-file', message, { path: file });
}

/** The holder was killed, or has stopped for a long time. */
async function isStale(file: string): Promise<boolean> {
  try {
    const [{ mtimeMs }, holder] = await Promise.all([fs.stat(file), fs.readFile(file, 'utf8')]);
    if (Date.now() - mtimeMs > staleMs) return true;
    const pid = Number(holder);
    return pid > 0 && !isRunning(pid);
  } catch {
    return false; // released in the meantime
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
