import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { entities } from '../src/entities.js';
import { databaseSchema } from '../src/migrations.js';
import { resolveDatabaseAddresses } from '../src/platform/database/addresses.js';
import { migrate } from '../src/platform/database/migrate.js';
import { workSource } from '../src/platform/database/sources.js';
import { databaseFacts } from './kit/database-facts.js';
import { emptyDatabase, testMasterKey } from './kit/database.js';

const committedFacts = path.join(import.meta.dirname, 'database-facts.txt');

let database: Awaited<ReturnType<typeof emptyDatabase>>;
let owner: Client;
let source: DataSource;
beforeAll(async () => {
  database = await emptyDatabase();
  const at = resolveDatabaseAddresses(database.url, testMasterKey);
  await migrate(at, testMasterKey, databaseSchema);
  owner = new Client(database.url);
  await owner.connect();
  source = await workSource(at, 'cs_app', entities, 1).initialize();
});
afterAll(async () => {
  await source.destroy();
  await owner.end();
  await database.drop();
});

it('the database matches the committed facts of its catalog (update with npm run database:facts)', async () => {
  const facts = await databaseFacts(owner);
  if (process.env.UPDATE_DATABASE_FACTS) writeFileSync(committedFacts, facts);
  expect(facts).toBe(readFileSync(committedFacts, 'utf8'));
});

describe('every entity', () => {
  interface Column {
    name: string;
    type: string;
    isNullable: boolean;
    isPrimary: boolean;
  }
  const byName = (a: Column, b: Column) => (a.name < b.name ? -1 : 1);

  async function columnsOf(table: string): Promise<Column[]> {
    const { rows } = await owner.query<Column>(
      `select a.attname as name, format_type(a.atttypid, null) as type, not a.attnotnull as "isNullable",
              exists (select from pg_index i where i.indrelid = a.attrelid and i.indisprimary and a.attnum = any (i.indkey)) as "isPrimary"
       from pg_attribute a where a.attrelid = to_regclass($1) and a.attnum > 0 and not a.attisdropped`,
      [`public.${table}`],
    );
    return rows.sort(byName);
  }

  it.each(entities.map((entity) => [entity.name, entity] as const))(
    '%s maps existing columns with their types and nullability, and the whole primary key',
    async (_, entity) => {
      const { tableName, columns } = source.getMetadata(entity);
      const mapped: Column[] = columns.map((column) => ({
        name: column.databaseName,
        type: `${source.driver.normalizeType(column)}${column.isArray ? '[]' : ''}`,
        isNullable: column.isNullable,
        isPrimary: column.isPrimary,
      }));
      const names = new Set(mapped.map(({ name }) => name));
      const actual = (await columnsOf(tableName)).filter(({ name, isPrimary }) => isPrimary || names.has(name));
      expect(actual).toEqual(mapped.sort(byName));
    },
  );
});
