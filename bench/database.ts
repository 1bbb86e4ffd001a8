import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { built } from './built.ts';

export const { startEmbeddedPostgres } =
  await built<typeof import('../src/platform/database/embedded.ts')>('platform/database/embedded');

/** Runs one measurement on a new database with the default durability settings. */
export async function onDatabase<T>(measure: (environment: Record<string, string>) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-bench-'));
  const postgres = await startEmbeddedPostgres({ dataDir: path.join(folder, 'postgres'), database: 'ours' });
  try {
    return await measure({ DATABASE_URL: postgres.url, DATA_DIR: folder, LOG_LEVEL: 'warn' });
  } finally {
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
