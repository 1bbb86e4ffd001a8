import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { MigrationInterface, MixedList } from 'typeorm';
import pg from 'pg';
import type { Config } from '../config/config.js';
import { Seal } from '../crypto/seal.service.js';
import { addresses, ownerConnection, type DatabaseAddresses } from './addresses.js';
import { startEmbeddedPostgres } from './embedded.js';
import { migrate } from './migrate.js';

export interface OpenDatabase {
  at: DatabaseAddresses;
  masterKeys: Buffer[];
  applied: string[];
  /** Ends the embedded server, where it is ours. To be called last. */
  close(): Promise<void>;
}

const keyCheck = { table: 'installation', column: 'key_check', row: 'installation' };

/** Everything that has to be there before the first module: a server, the schema, and a master key that fits it. */
export async function openDatabase(
  config: Config,
  migrations: MixedList<new () => MigrationInterface>,
): Promise<OpenDatabase> {
  const masterKeys = config.masterKeys.length ? config.masterKeys : [keptMasterKey(config.dataDir)];
  const embedded = config.databaseUrl
    ? undefined
    : await startEmbeddedPostgres({ dataDir: path.join(config.dataDir, 'postgres'), database: 'countersign' });
  const close = async () => embedded?.stop();
  try {
    const at = addresses(config.databaseUrl ?? embedded!.url, masterKeys[0], config.databaseLoginUrl);
    const seal = new Seal(masterKeys);
    await provesMasterKey(at, seal);
    const { applied } = await migrate(at, masterKeys[0], migrations);
    await leavesProof(at, seal);
    return { at, masterKeys, applied, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Made at the first start, beside the embedded data: whoever has only the database has no credential. */
export function keptMasterKey(dataDir: string): Buffer {
  const file = path.join(dataDir, 'master.key');
  mkdirSync(dataDir, { recursive: true });
  try {
    writeFileSync(file, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64url');
  if (key.length !== 32) throw new Error(`${file} does not hold a master key of 32 bytes in base64url`);
  return key;
}

/**
 * Throws MasterKeyMismatch when the rows of this database were sealed under another key: before anything is migrated, and
 * before the login's password is derived from a wrong key under the feet of processes that have the right one.
 */
async function provesMasterKey(at: DatabaseAddresses, seal: Seal): Promise<void> {
  const owner = new pg.Client(ownerConnection(at.owner));
  await owner.connect();
  try {
    const { rows: tables } = await owner.query<{ exists: boolean }>(
      `select to_regclass('public.installation') is not null as exists`,
    );
    if (!tables[0].exists) return;
    const { rows } = await owner.query<{ key_check: Buffer }>('select key_check from installation');
    if (rows.length) seal.open(rows[0].key_check, keyCheck);
  } finally {
    await owner.end();
  }
}

/** The first start with a key leaves its proof. */
async function leavesProof(at: DatabaseAddresses, seal: Seal): Promise<void> {
  const owner = new pg.Client(ownerConnection(at.owner));
  await owner.connect();
  try {
    await owner.query('insert into installation (key_check) values ($1) on conflict do nothing', [
      seal.seal('countersign', keyCheck),
    ]);
  } finally {
    await owner.end();
  }
}
