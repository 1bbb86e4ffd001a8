import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { ifExists } from '../../platform/files/if-exists.js';

const renewMs = 5_000;
/** A lock that was not renewed for this long belongs to a killed process. */
const staleMs = 30_000;
const retryMs = 250;

/** Another process, or another pass of this process, uses the folder. */
export class StorageInUse extends Error {
  override readonly name = 'StorageInUse';

  constructor() {
    super('Another process is reading this repository. The next sync tries again.');
  }
}

/**
 * A lock file, so that one process at a time changes a folder. The owner renews the file. If a suspended process loses
 * the lock, its next renewal finds another owner and aborts the pass.
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

  /** Aborts when the lock is lost. */
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
    const [owner, stats] = await Promise.all([StorageLock.ownerOf(file), ifExists(stat(file))]);
    if (!stats) return true; // the owner has released it
    if (Date.now() - stats.mtimeMs < staleMs) return false;
    const aside = `${file}-${randomBytes(6).toString('hex')}`;
    await ifExists(rename(file, aside)); // another process may have removed it
    const renamedOwner = await StorageLock.ownerOf(aside);
    if (renamedOwner === undefined) return true;
    const isSameOwner = renamedOwner === owner;
    // otherwise another process has already replaced the stale lock with its own
    if (!isSameOwner) await rename(aside, file);
    else await rm(aside, { force: true });
    return isSameOwner;
  }

  private static ownerOf(file: string): Promise<string | undefined> {
    return ifExists(readFile(file, 'utf8'));
  }
}
