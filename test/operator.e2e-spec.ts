import type { Type } from '@nestjs/common';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { Client } from 'pg';
import { DatabaseService } from '../src/platform/database/database.service.js';
import { statement } from '../src/platform/database/statement.js';
import { newId } from '../src/platform/crypto/ids.js';
import { TenantsService } from '../src/access/tenants.service.js';
import { SignInService } from '../src/access/sign-in.service.js';
import { databaseSchema } from '../src/migrations.js';
import { SigningKeysService } from '../src/oauth/signing-keys.service.js';
import { backUpTo, restoreFrom } from '../src/operator/backup.command.js';
import { forgetCredentials } from '../src/operator/forget-credentials.command.js';
import { operatorCommands } from '../src/operator/commands.js';
import { checkUpgrade } from '../src/operator/upgrade.command.js';
import { startServer } from '../src/server.js';
import { emptyDatabase } from './kit/database.js';
import { testConfig, type TestServer, testServer } from './kit/server.js';
import { runSql } from './kit/run-sql.js';

const admin = { email: 'ada@example.org', name: 'Ada', password: 'a long enough phrase 42' };
const signIn = { organization: 'larkmoor', email: admin.email, password: admin.password, address: '127.0.0.1' };

let server: TestServer;
let empty: Awaited<ReturnType<typeof emptyDatabase>>;
beforeAll(async () => {
  server = await testServer();
  empty = await emptyDatabase();
  const { tenant } = await server.app
    .get(TenantsService)
    .create({ name: 'test' }, { name: 'Larkmoor', slug: 'larkmoor', admin });
  await aTaskHasBegun(tenant.id);
  await server.app.get(SigningKeysService).current();
});
afterAll(async () => {
  await server.close();
  await empty.drop();
});

/** Its second event is written to the outbox. */
async function aTaskHasBegun(tenantId: string): Promise<void> {
  const taskId = newId();
  await server.app.get(DatabaseService).tenant({ tenantId }, async (tx) => {
    for (const [index, state] of ['submitted', 'working'].entries())
      await runSql(
        tx,
        `insert into task_events (tenant_id, task_id, number, status, at) values ($1, $2, $3, $4, now())`,
        [tenantId, taskId, index + 1, { state }],
      );
  });
}

describe('a command for an organization', () => {
  it('says that there is none before the set-up', async () => {
    const fresh = await testServer();
    const openApplication = () =>
      Promise.resolve({ get: <T>(type: Type<T>): T => fresh.app.get(type), close: () => Promise.resolve() });
    const commands = operatorCommands({ print: () => undefined, openApplication, databaseSchema });
    try {
      await expect(commands.parseAsync(['node', 'operator', 'admin', 'invite', 'milo@example.org'])).rejects.toThrow(
        'There is no organization yet. "countersign-operator admin set-up-link" prints a link to set it up.',
      );
    } finally {
      await fresh.close();
    }
  });
});

describe('a backup', () => {
  const file = () => path.join(server.folder, 'one.backup.gz');
  const target = (settings: Record<string, string> = {}) => testConfig(empty.url, server.folder, settings);

  it('is taken while the server runs, and never overwrites another backup', async () => {
    await expect(backUpTo(server.config, file())).resolves.toBeGreaterThan(2);
    await expect(backUpTo(server.config, file())).rejects.toMatchObject({ code: 'EEXIST' });
  });

  it('is restored into an empty database, and the server starts on it', async () => {
    await restoreFrom(target(), file(), databaseSchema);
    const restored = await startServer(target());
    try {
      await expect(restored.app.get(SignInService).signInWithPassword(signIn)).resolves.toHaveProperty('token');
      const changes = statement(`select 1 from outbox where kind = 'task.state_changed'`);
      expect(await restored.app.get(DatabaseService).systemPool.execute(changes)).toBe(1);
    } finally {
      await restored.close();
    }
  });

  it('is not restored into a database with rows', async () => {
    await expect(restoreFrom(target(), file(), databaseSchema)).rejects.toThrow('needs an empty database');
  });

  it('is rejected if it is from another version', async () => {
    const header = { countersign: 1, at: new Date().toISOString(), migrations: ['Unknown1790000000000'] };
    const other = path.join(server.folder, 'other.backup.gz');
    writeFileSync(other, gzipSync(`${JSON.stringify(header)}\n`));
    await expect(restoreFrom(target(), other, databaseSchema)).rejects.toThrow(
      'the backup was made by another version: this version does not know Unknown1790000000000',
    );
  });

  it('leaves row-level security forced', async () => {
    const owner = new Client(empty.url);
    await owner.connect();
    const { rows } =
      await owner.query(`select relname from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and not c.relforcerowsecurity`);
    await owner.end();
    expect(rows).toEqual([]);
  });

  it('can be decrypted only with the master key from its time', async () => {
    const other = Buffer.alloc(32, 9).toString('base64url');
    await expect(startServer(target({ MASTER_KEYS: other }))).rejects.toMatchObject({ code: 'master-key-mismatch' });
  });
});

describe('a lost master key', () => {
  it('is recovered by deleting sealed secrets: people can sign in, and credentials must be entered again', async () => {
    const config = testConfig(empty.url, server.folder, { MASTER_KEYS: Buffer.alloc(32, 9).toString('base64url') });
    await expect(forgetCredentials(config)).resolves.toContainEqual(
      expect.stringContaining('connection credentials deleted'),
    );
    const again = await startServer(config);
    try {
      await expect(again.app.get(SignInService).signInWithPassword(signIn)).resolves.toHaveProperty('token');
      await expect(again.app.get(SigningKeysService).current()).resolves.toHaveLength(1);
    } finally {
      await again.close();
    }
  });
});

describe('upgrade --check', () => {
  it('has nothing to do on a running installation', async () => {
    await expect(checkUpgrade(server.config, databaseSchema)).resolves.toMatchObject({ pending: [], unknown: [] });
  });

  it('lists pending migrations, and migrations of a newer version', async () => {
    const { migrations, repeatableMigrations } = databaseSchema;
    const [first, ...rest] = migrations;
    await expect(checkUpgrade(server.config, { migrations: rest, repeatableMigrations })).resolves.toMatchObject({
      pending: [],
      unknown: [first.name],
    });
    const fresh = await emptyDatabase();
    const config = testConfig(fresh.url, server.folder);
    await expect(checkUpgrade(config, databaseSchema)).resolves.toMatchObject({
      pending: [...migrations, ...repeatableMigrations].map(({ name }) => name),
    });
    await fresh.drop();
  });
});
