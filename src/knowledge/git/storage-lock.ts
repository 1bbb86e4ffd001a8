import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as after } from 'node:timers/promises';

const renewMs = 5_000;
/** A process that was killed renews nothing. */
const staleMs = 30_000;
const retryMs = 250;

/** The folder is in use by another process, or by another pass of this one. */
export class StorageInUse extends Error {
  override readonly name = 'StorageInUse';

  constructor() {
    super('Another process is reading this repository. The next sync tries again.');
  }
}

/**
 * One process at a time changes a folder. A file shows who does, and is renewed while it does. The process that was
 * taken for dead, but only slept, finds another owner at its next renewal, and ends.
 */
export class StorageLock {
  private readonly lost = new AbortController();
  private readonly timer: NodeJS.Timeout;

  private constructor(
    private readonly file: string,
    private readonly owner: string,
  ) {
    this.timer = setInterval(() => void this.renew(), renewMs).unref();
  }

  /** Throws `StorageInUse` if the folder is not free within this time. */
  static async acquire(folder: string, waitMs: number, signal: AbortSignal): Promise<StorageLock> {
    const file = path.join(folder, 'lock');
    const owner = `${process.pid} ${randomBytes(12).toString('hex')}`;
    const deadline = performance.now() + waitMs;
    for (;;) {
      signal.throwIfAborted();
      try {
        await writeFile(file, owner, { flag: 'wx', mode: 0o600 });
        return new StorageLock(file, owner);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      }
      if (await StorageLock.removeStale(file)) continue;
      if (performance.now() >= deadline) throw new StorageInUse();
      await after(retryMs, undefined, { signal });
    }
  }

  /** Aborts when another process has taken over. */
  get signal(): AbortSignal {
    return this.lost.signal;
  }

  async release(): Promise<void> {
    clearInterval(this.timer);
    if ((await StorageLock.ownerOf(this.file)) === this.owner) await rm(this.file, { force: true });
  }

  private async renew(): Promise<void> {
    try {
      if ((await StorageLock.ownerOf(this.file)) !== this.owner) throw new StorageInUse();
      const now = new Date();
      await utimes(this.file, now, now);
    } catch (error) {
      clearInterval(this.timer);
      this.lost.abort(error);
    }
  }

  private static async removeStale(file: string): Promise<boolean> {
    const [owner, stats] = await Promise.all([StorageLock.ownerOf(file), stat(file).catch(() => null)]);
    if (!stats) return true; // released meanwhile
    if (Date.now() - stats.mtimeMs < staleMs) return false;
    const aside = `${file}-${randomBytes(6).toString('hex')}`;
    try {
      await rename(file, aside);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
      throw error;
    }
    const isSameOwner = (await StorageLock.ownerOf(aside)) === owner;
    // another process was faster, and this is its lock
    if (!isSameOwner) await rename(aside, file);
    else await rm(aside, { force: true });
    return isSameOwner;
  }

  private static ownerOf(file: string): Promise<string | null> {
    return readFile(file, 'utf8').catch(() => null);
  }
}
