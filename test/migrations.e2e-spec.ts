import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Client } from 'pg';
import { databaseSchema } from '../src/migrations.js';
import { resolveDatabaseAddresses } from '../src/platform/database/addresses.js';
import { migrate } from '../src/platform/database/migrate.js';
import type { DatabaseSchema } from '../src/platform/database/sources.js';
import { databaseFacts } from './kit/database-facts.js';
import { emptyDatabase, testMasterKey } from './kit/database.js';

const everything = [...databaseSchema.migrations, ...databaseSchema.repeatableMigrations].map(({ name }) => name);

let database: Awaited<ReturnType<typeof emptyDatabase>>;
let owner: Client;
beforeEach(async () => {
  database = await emptyDatabase();
  owner = new Client(database.url);
  await owner.connect();
});
afterEach(async () => {
  await owner.end();
  await database.drop();
});

const start = async (schema: DatabaseSchema = databaseSchema) =>
  (await migrate(resolveDatabaseAddresses(database.url, testMasterKey), testMasterKey, schema)).applied;
const valueOf = async <T>(text: string) => (await owner.query<{ value: T }>(text)).rows[0].value;

describe('migrations', () => {
  it('run once when three processes start at the same time', async () => {
    const applied = await Promise.all([start(), start(), start()]);
    expect(applied.sort((a, b) => b.length - a.length)).toEqual([everything, [], []]);
  });

  it('change nothing at the next start', async () => {
    await start();
    const facts = await databaseFacts(owner);
    await expect(start()).resolves.toEqual([]);
    await expect(databaseFacts(owner)).resolves.toBe(facts);
  });
});

describe('a database of another version', () => {
  const untouched = () => valueOf<boolean>(`select to_regnamespace('graphile_worker') is null as value`);

  it('is rejected unchanged if it was created before the baseline', async () => {
    await owner.query('create table migrations (id serial primary key, timestamp bigint not null, name text not null)');
    await owner.query(
      `insert into migrations (timestamp, name)
       select 1790000000000 + n, 'Old' || 1790000000000 + n from generate_series(1, 5) as n`,
    );
    await expect(start()).rejects.toThrow(
      'before the migrations were replaced by one baseline for each module (Old1790000000001, Old1790000000002, ' +
        'Old1790000000003, 2 more). Use an empty database.',
    );
    await expect(untouched()).resolves.toBe(true);
  });

  it('is rejected if a newer version has migrated it', async () => {
    await start();
    await owner.query(`insert into migrations (timestamp, name) values (1900000000000, 'Newer1900000000000')`);
    await expect(start()).rejects.toThrow(
      'A newer version has migrated this database: this version does not know Newer1900000000000.',
    );
  });
});

describe('a repeatable migration', () => {
  const answer = (value: number) => ({
    name: 'test/sql/answer.sql',
    sql: `
      create or replace function answer() returns int language sql as 'select ${value}';
      revoke all on function answer from public;
      grant execute on function answer to cs_app;`,
  });
  const broken = { name: 'test/sql/broken.sql', sql: 'create or replace function broken() returns no_such_type' };
  const withFiles = (...files: DatabaseSchema['repeatableMigrations']): DatabaseSchema => ({
    ...databaseSchema,
    repeatableMigrations: [...databaseSchema.repeatableMigrations, ...files],
  });

  it('is applied again only if its text has changed', async () => {
    await expect(start(withFiles(answer(41)))).resolves.toEqual([...everything, answer(41).name]);
    await expect(start(withFiles(answer(41)))).resolves.toEqual([]);
    await expect(start(withFiles(answer(42)))).resolves.toEqual([answer(42).name]);
    await expect(valueOf('select answer() as value')).resolves.toBe(42);
  });

  it('is applied by one process when three start at the same time', async () => {
    await start();
    const applied = await Promise.all([1, 2, 3].map(() => start(withFiles(answer(1)))));
    expect(applied.sort((a, b) => b.length - a.length)).toEqual([[answer(1).name], [], []]);
  });

  it('is named in the error if it fails, and the others are rolled back', async () => {
    await start();
    await expect(start(withFiles(answer(1), broken))).rejects.toThrow(`${broken.name} cannot be applied: `);
    await expect(valueOf(`select to_regprocedure('answer()') is null as value`)).resolves.toBe(true);
    await expect(start(withFiles(answer(1)))).resolves.toEqual([answer(1).name]);
  });
});

describe('database functions', () => {
  it('are not executable by PUBLIC', async () => {
    await start();
    const { rows } = await owner.query<{ name: string }>(
      `select p.oid::regprocedure::text as name from pg_proc p
       where p.pronamespace = 'public'::regnamespace and has_function_privilege('public', p.oid, 'execute')`,
    );
    expect(rows).toEqual([]);
  });

  it('pin their search path if they run as their owner', async () => {
    await start();
    const { rows } = await owner.query<{ name: string }>(
      `select p.oid::regprocedure::text as name from pg_proc p
       where p.pronamespace = 'public'::regnamespace and p.prosecdef and not coalesce('search_path=pg_catalog' = any (p.proconfig), false)`,
    );
    expect(rows).toEqual([]);
  });
});
