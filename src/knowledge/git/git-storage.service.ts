import { readdir, rm, rmdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { connectionsTopic } from '../../connections/connections.events.js';
import { Config } from '../../platform/config/config.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import { WakeupChannel } from '../../platform/events/wakeup-channel.service.js';
import { ifExists } from '../../platform/files/if-exists.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import { gitFolder } from './git-repository.js';
import { listExistingConnections } from './git-storage.system.sql.js';
import { StorageInUse, StorageLock } from './storage-lock.js';

const sweepMs = 10 * 60_000;
const abandonedMs = 60 * 60_000;
const idPattern = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Removes the copies of repositories when their connection was removed. Runs on every process, each on its own disk. */
@Injectable()
export class GitStorageService implements OnModuleInit {
  private readonly root: string;
  private sweeping: Promise<void> | null = null;

  constructor(
    private readonly database: DatabaseService,
    private readonly wakeupChannel: WakeupChannel,
    private readonly log: LogService,
    config: Config,
  ) {
    this.root = gitFolder(config.dataDir);
  }

  onModuleInit(): void {
    // 'all' means that changes may have been missed; the interval finds them
    this.wakeupChannel.subscribe(connectionsTopic, (ids) => void (ids !== 'all' && this.sweep()));
  }

  @Interval(sweepMs)
  sweep(): Promise<void> {
    this.sweeping ??= this.removeOrphans()
      .catch((error: unknown) => this.log.warn({ err: error }, 'copies of removed repositories could not be removed'))
      .finally(() => (this.sweeping = null));
    return this.sweeping;
  }

  private async removeOrphans(): Promise<void> {
    const stored = new Map<string, string>();
    for (const name of await namesIn(this.root)) {
      if (name.startsWith('verify-')) await this.removeAbandoned(name);
      if (!idPattern.test(name)) continue;
      for (const id of await namesIn(path.join(this.root, name)))
        if (idPattern.test(id)) stored.set(id, path.join(this.root, name, id));
    }
    if (!stored.size) return;
    const existing = await this.database.system('git storage', (tx) =>
      tx.run(listExistingConnections, [[...stored.keys()]]),
    );
    for (const { id } of existing) stored.delete(id);
    for (const folder of stored.values()) await this.remove(folder);
  }

  private async remove(folder: string): Promise<void> {
    let lock: StorageLock | undefined;
    try {
      lock = await ifExists(StorageLock.acquire(folder, 0, new AbortController().signal));
      await rm(folder, { recursive: true, force: true });
    } catch (error) {
      if (!(error instanceof StorageInUse)) throw error; // its last pass is ending: the next sweep removes the folder
    } finally {
      await lock?.release();
    }
    await removeIfEmpty(path.dirname(folder));
  }

  /** A verification removes its own folder unless the process was killed. */
  private async removeAbandoned(name: string): Promise<void> {
    const folder = path.join(this.root, name);
    const stats = await ifExists(stat(folder));
    if (stats && Date.now() - stats.mtimeMs > abandonedMs) await rm(folder, { recursive: true, force: true });
  }
}

const namesIn = async (folder: string): Promise<string[]> => (await ifExists(readdir(folder))) ?? [];

async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await ifExists(rmdir(folder));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOTEMPTY') throw error;
  }
}
