import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import pg from 'pg';
import type { Config } from '../config/config.js';
import { SealService } from '../crypto/seal.service.js';
import { resolveDatabaseAddresses, ownerConnection, type DatabaseAddresses } from './addresses.js';
import { verifyKeyProof, storeKeyProof } from './key-proof.js';
import { startEmbeddedPostgres } from './embedded.js';
import { migrate } from './migrate.js';
import type { DatabaseSchema } from './sources.js';

export interface OpenDatabase {
  addresses: DatabaseAddresses;
  masterKeys: Buffer[];
  applied: string[];
  /** Stops the embedded server if this process started it. Call it last. */
  close(): Promise<void>;
}

/** Prepares what the first module needs: a server, the schema, and a master key that matches the database. */
export async function openDatabase(config: Config, schema: DatabaseSchema): Promise<OpenDatabase> {
  const masterKeys = config.masterKeys.length ? config.masterKeys : [loadOrCreateMasterKey(config.dataDir)];
  const embedded = config.databaseUrl
    ? undefined
    : await startEmbeddedPostgres({ dataDir: path.join(config.dataDir, 'postgres'), database: 'countersign' });
  const close = async () => embedded?.stop();
  try {
    const at = resolveDatabaseAddresses(config.databaseUrl ?? embedded!.url, masterKeys[0], config.databaseLoginUrl);
    const seal = new SealService(masterKeys);
    await runAsOwner(at, (owner) => verifyKeyProof(owner, seal));
    const { applied } = await migrate(at, masterKeys[0], schema);
    await runAsOwner(at, (owner) => storeKeyProof(owner, seal));
    return { addresses: at, masterKeys, applied, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Created at the first start, outside of the database: a copy of the database alone reveals no credential. */
export function loadOrCreateMasterKey(dataDir: string): Buffer {
  const file = path.join(dataDir, 'master.key');
  mkdirSync(dataDir, { recursive: true });
  try {
    writeFileSync(file, randomBytes(32).toString('base64url'), { mode: 0o600, flag: 'wx' });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const key = Buffer.from(readFileSync(file, 'utf8').trim(), 'base64url');
  if (key.length !== 32) throw new Error(`${file} does not contain a master key of 32 bytes in base64url`);
  return key;
}

async function runAsOwner<T>(at: DatabaseAddresses, run: (owner: pg.Client) => Promise<T>): Promise<T> {
  const owner = new pg.Client(ownerConnection(at.owner));
  await owner.connect();
  try {
    return await run(owner);
  } finally {
    await owner.end();
  }
}
