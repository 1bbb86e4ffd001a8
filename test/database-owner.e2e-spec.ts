import { chmodSync, mkdtempSync } from 'node:fs';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmbeddedServer, startEmbeddedPostgres } from '../src/platform/database/embedded.js';
import { startServer } from '../src/server.js';
import { testConfig } from './kit/server.js';

describe('an owner of the database that is no superuser, as on managed servers', () => {
  let folder: string;
  let postgres: EmbeddedServer;
  beforeAll(async () => {
    folder = mkdtempSync(path.join(process.env.TEST_FOLDER!, 'owner-'));
    chmodSync(folder, 0o755); // under root, the database runs as another user, who needs access to its folder
    postgres = await startEmbeddedPostgres({ dataDir: path.join(folder, 'postgres'), database: 'countersign' });
    const superuser = new pg.Client(postgres.url);
    await superuser.connect();
    await superuser.query(`create role my_owner login createrole password 'secret'`);
    await superuser.query('create database mine owner my_owner');
    await superuser.end();
  });
  afterAll(() => postgres.stop());

  it('creates tables, functions and roles with the first start, and finds them with the next', async () => {
    const url = new URL(postgres.url);
    Object.assign(url, { username: 'my_owner', password: 'secret', pathname: '/mine' });
    for (let start = 0; start < 2; start++) {
      const server = await startServer(testConfig(url.href, folder));
      try {
        expect((await fetch(`http://127.0.0.1:${server.internalPort}/readyz`)).status).toBe(200);
      } finally {
        await server.close();
      }
    }
  });
});
