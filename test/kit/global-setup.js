import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startEmbeddedPostgres } from '../../src/platform/database/embedded.ts';
import { buildConsole } from './console-build.ts';
import { databaseParentFolder } from './memory-folder.ts';

/** Starts one PostgreSQL server for the whole run. Every test file clones its database from a migrated template. */
export default async function setUp() {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'countersign-test-'));
  const databaseFolder = mkdtempSync(path.join(databaseParentFolder(), 'countersign-test-'));
  chmodSync(databaseFolder, 0o755); // under root, the database runs as another user, who needs access to its folder
  const postgres = await startEmbeddedPostgres({
    dataDir: path.join(databaseFolder, 'postgres'),
    database: 'countersign',
    settings: {
      fsync: 'off',
      synchronous_commit: 'off',
      full_page_writes: 'off',
      max_connections: 300,
      shared_preload_libraries: 'pg_stat_statements',
    },
  });
  process.env.TEST_DATABASE_URL = postgres.url;
  process.env.TEST_FOLDER = folder;
  await buildConsole().catch(({ message }) => {
    // only tests that open the console need the build: they report why it is missing
    process.env.TEST_CONSOLE_PROBLEM = message;
  });
  return async () => {
    await postgres.stop();
    for (const each of [folder, databaseFolder]) rmSync(each, { recursive: true, force: true });
  };
}
