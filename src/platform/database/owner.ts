import path from 'node:path';
import { Client } from 'pg';
import type { Config } from '../config/config.js';
import { ownerConnection } from './addresses.js';
import { startEmbeddedPostgres } from './embedded.js';

/**
 * Runs an operator command with the owner's connection. An embedded server that already runs is used and not stopped.
 */
export async function withOwnerConnection<T>(
  config: Config,
  run: (owner: Client, url: string) => Promise<T>,
): Promise<T> {
  const embedded = config.databaseUrl
    ? undefined
    : await startEmbeddedPostgres({ dataDir: path.join(config.dataDir, 'postgres'), database: 'countersign' });
  const url = config.databaseUrl ?? embedded!.url;
  const owner = new Client(ownerConnection(url));
  try {
    await owner.connect();
    return await run(owner, url);
  } finally {
    await owner.end();
    await embedded?.stop();
  }
}
