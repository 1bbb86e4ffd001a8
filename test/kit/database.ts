import pg from 'pg';
import { databaseSchema } from '../../src/migrations.js';
import { resolveDatabaseAddresses } from '../../src/platform/database/addresses.js';
import { migrate } from '../../src/platform/database/migrate.js';

export const testMasterKey = Buffer.alloc(32, 7);
const template = 'countersign_template';

/** A separate database for this test file, cloned from a template that the first file migrates. */
export async function cloneDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const name = newName();
  await withServer(async (server) => {
    await server.query('select pg_advisory_lock(1)');
    const { rowCount } = await server.query('select 1 from pg_database where datname = $1 and datistemplate', [
      template,
    ]);
    if (!rowCount) {
      await server.query(`drop database if exists ${template}`);
      await server.query(`create database ${template}`);
      await migrate(resolveDatabaseAddresses(urlOf(template), testMasterKey), testMasterKey, databaseSchema);
      await server.query(`alter database ${template} is_template true`);
    }
    await server.query(`create database ${name} template ${template}`);
    // cloning does not copy privileges on the database
    await server.query(
      `grant connect, temporary on database ${name} to cs_login, cs_app, cs_system, cs_worker, cs_bulk, cs_sealer`,
    );
  });
  return { url: urlOf(name), drop: () => drop(name) };
}

/** An empty database, as in a new installation. */
export async function emptyDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const name = newName();
  await withServer(async (server) => void (await server.query(`create database ${name}`)));
  return { url: urlOf(name), drop: () => drop(name) };
}

const newName = () => `test_${process.pid}_${Date.now()}_${Math.random().toString(36).slice(2, 8)}`;
const drop = (name: string) =>
  withServer(async (server) => void (await server.query(`drop database if exists ${name} with (force)`)));

export function urlOf(database: string): string {
  const url = new URL(process.env.TEST_DATABASE_URL!);
  url.pathname = `/${database}`;
  return url.toString();
}

async function withServer(run: (server: pg.Client) => Promise<void>): Promise<void> {
  const server = new pg.Client(urlOf('postgres'));
  await server.connect();
  try {
    await run(server);
  } finally {
    await server.end();
  }
}
