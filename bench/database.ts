import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { built } from './built.ts';

const { startEmbeddedPostgres } =
  await built<typeof import('../src/platform/database/embedded.ts')>('platform/database/embedded');

/** What a server needs to run on the temporary database; DATA_DIR is a temporary folder, too. */
export interface DatabaseEnvironment extends Record<string, string> {
  DATABASE_URL: string;
  DATA_DIR: string;
  LOG_LEVEL: string;
}

/** Runs one measurement on a new database with the default durability settings. */
export async function onDatabase<T>(measure: (environment: DatabaseEnvironment) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-bench-'));
  chmodSync(folder, 0o755); // under root, the database runs as another user, who needs access to its folder
  const postgres = await startEmbeddedPostgres({ dataDir: path.join(folder, 'postgres'), database: 'ours' });
  try {
    return await measure({ DATABASE_URL: postgres.url, DATA_DIR: folder, LOG_LEVEL: 'warn' });
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
