import { mkdtempSync } from 'node:fs';
import path from 'node:path';
import { Config } from '../../src/platform/config/config.js';
import { type RunningServer, startServer } from '../../src/server.js';
import { cloneDatabase, testMasterKey } from './database.js';

/** The real server with a separate database. `await using server = await testServer()`, or `close()` in afterAll. */
export interface TestServer extends RunningServer {
  url: string;
  databaseUrl: string;
  folder: string;
}

export async function testServer(settings: Record<string, string> = {}): Promise<TestServer> {
  const database = await cloneDatabase();
  const folder = mkdtempSync(path.join(process.env.TEST_FOLDER!, 'server-'));
  const server = await startServer(testConfig(database.url, folder, settings));
  return {
    ...server,
    url: server.config.baseUrl,
    databaseUrl: database.url,
    folder,
    close: async () => {
      await server.close();
      await database.drop();
    },
  };
}

export const testConfig = (databaseUrl: string, folder: string, settings: Record<string, string> = {}): Config =>
  Config.from({
    DATABASE_URL: databaseUrl,
    DATA_DIR: folder,
    MASTER_KEYS: testMasterKey.toString('base64url'),
    PORT: '0',
    INTERNAL_PORT: '0',
    DATABASE_POOL: '8',
    DATABASE_SYSTEM_POOL: '4',
    LOG_LEVEL: process.env.TEST_LOG ?? 'error',
    ALLOW_PRIVATE_NETWORKS: '127.0.0.0/8,::1/128',
    FOLDER_ROOTS: `${folder},${path.resolve('examples')}`,
    ...settings,
  });
