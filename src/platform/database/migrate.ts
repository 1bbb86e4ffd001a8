import { Client, escapeIdentifier, escapeLiteral } from 'pg';
import { makeWorkerUtils } from 'graphile-worker';
import { guardedPool } from './guarded-pool.js';
import {
  backupRole,
  loginPassword,
  loginRole,
  ownerConnection,
  workRoles,
  type DatabaseAddresses,
} from './addresses.js';
import { appliedMigrations, refuseUnknownMigrations } from './applied-migrations.js';
import { applyChanged } from './repeatable-migrations.js';
import { type DatabaseSchema, type MigrationList, ownerSource } from './sources.js';

/** "CSGN". All processes of all versions take this lock, because TypeORM takes none. */
const migrationLock = 0x4353474e;
const minServerVersion = 150000;

export interface MigrationResult {
  /** Names of migrations, followed by names of repeatable migrations. */
  applied: string[];
}

/** Upgrades roles, the queue's schema, tables, functions and triggers to this version, one process at a time. */
export async function migrate(
  at: DatabaseAddresses,
  masterKey: Buffer,
  schema: DatabaseSchema,
): Promise<MigrationResult> {
  const owner = new Client(ownerConnection(at.owner));
  await owner.connect();
  try {
    await requireSupportedServer(owner);
    await owner.query('select pg_advisory_lock($1)', [migrationLock]);
    refuseUnknownMigrations(await appliedMigrations(owner), schema.migrations);
    if (at.ownsLogin) await retryOnRoleCollision(() => createRoles(owner, masterKey));
    else await requireRoles(owner);
    await migrateQueue(at);
    const tables = await migrateTables(at, schema.migrations);
    const repeatable = await applyChanged(owner, schema.repeatableMigrations);
    await grantQueueToWorker(owner);
    return { applied: [...tables, ...repeatable] };
  } finally {
    await owner.end(); // releases the lock
  }
}

async function requireSupportedServer(owner: Client): Promise<void> {
  const { rows } = await owner.query<{ version: number }>(
    "select current_setting('server_version_num')::int as version",
  );
  if (rows[0].version < minServerVersion)
    throw new Error(
      `PostgreSQL 15 or newer is required, but DATABASE_URL points to version ${(rows[0].version / 10000) | 0}`,
    );
}

/**
 * Roles belong to the whole server, the lock to one database: another installation may change the roles concurrently.
 */
async function retryOnRoleCollision(make: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await make();
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      const isCollision = code === '42710' || code === '23505' || /concurrently (updated|deleted)/.test(message);
      if (!isCollision || attempt === 20) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20 + Math.random() * 100));
    }
  }
}

async function createRoles(owner: Client, masterKey: Buffer): Promise<void> {
  for (const role of [...workRoles, loginRole, backupRole]) {
    const { rowCount } = await owner.query('select 1 from pg_roles where rolname = $1', [role]);
    if (!rowCount) await owner.query(`create role ${role} nologin`);
  }
  await owner.query(`alter role ${loginRole} login noinherit password ${escapeLiteral(loginPassword(masterKey))}`);
  await owner.query(`grant ${workRoles.join(', ')} to ${loginRole}`);
  await owner.query(`grant ${backupRole} to current_user`);
  const { rows } = await owner.query<{ name: string }>('select current_database() as name');
  await owner.query(`revoke all on database ${escapeIdentifier(rows[0].name)} from public`);
  await owner.query(
    `grant connect, temporary on database ${escapeIdentifier(rows[0].name)} to ${loginRole}, ${workRoles.join(', ')}`,
  );
  await owner.query('revoke create on schema public from public');
  await owner.query(`grant usage on schema public to ${[...workRoles, backupRole].join(', ')}`);
}

/** A new version may need a role that the operator has not created yet. */
async function requireRoles(owner: Client): Promise<void> {
  const needed = [...workRoles, backupRole];
  const { rows } = await owner.query<{ name: string }>(
    'select rolname as name from pg_roles where rolname = any ($1)',
    [needed],
  );
  const missing = needed.filter((role) => !rows.some(({ name }) => name === role));
  if (missing.length)
    throw new Error(
      `the database is missing the role ${missing.join(', ')}; create it and grant it to the login role (see "Database roles" in docs/operate.md)`,
    );
}

async function migrateTables(at: DatabaseAddresses, migrations: MigrationList): Promise<string[]> {
  const source = await ownerSource(at, migrations).initialize();
  try {
    return (await source.runMigrations()).map((migration) => migration.name);
  } finally {
    await source.destroy();
  }
}

async function migrateQueue(at: DatabaseAddresses): Promise<void> {
  // errors are ignored, because the next query reports a lost connection
  const pool = guardedPool({ ...ownerConnection(at.owner), max: 2 }, () => undefined);
  const worker = await makeWorkerUtils({ pgPool: pool });
  try {
    await worker.migrate();
  } finally {
    await worker.release();
    await pool.end();
  }
}

/**
 * graphile-worker's tables have row-level security without a policy. The role that runs jobs gets a policy, not
 * ownership.
 */
async function grantQueueToWorker(owner: Client): Promise<void> {
  await owner.query('grant usage on schema graphile_worker to cs_worker');
  await owner.query('grant execute on all functions in schema graphile_worker to cs_worker');
  await owner.query('grant usage, select on all sequences in schema graphile_worker to cs_worker');
  const { rows } = await owner.query<{ name: string; open: boolean }>(`
    select c.relname as name, exists (select 1 from pg_policy p where p.polrelid = c.oid and p.polname = 'worker') as open
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = 'graphile_worker' and c.relkind in ('r', 'v')`);
  for (const { name, open } of rows) {
    const table = `graphile_worker.${escapeIdentifier(name)}`;
    await owner.query(`grant select, insert, update, delete on ${table} to cs_worker`);
    const { rows: kind } = await owner.query<{ table: boolean }>(
      `select relkind = 'r' as table from pg_class where oid = $1::regclass`,
      [table],
    );
    if (!open && kind[0].table) await owner.query(`create policy worker on ${table} to cs_worker using (true)`);
  }
}
