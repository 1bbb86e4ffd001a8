import type { Client } from 'pg';
import type { MigrationList } from './sources.js';

/** Names of applied migrations, oldest first. Empty for an empty database. */
export async function appliedMigrations(owner: Client): Promise<string[]> {
  const { rows: tables } = await owner.query<{ exists: boolean }>(
    `select to_regclass('public.migrations') is not null as exists`,
  );
  if (!tables[0].exists) return [];
  const { rows } = await owner.query<{ name: string }>('select name from migrations order by timestamp');
  return rows.map((row) => row.name);
}

/** Throws, before anything changes, if a newer version or other migrations have created the database. */
export function refuseUnknownMigrations(applied: string[], migrations: MigrationList): void {
  const known = migrations.map(({ name }) => name);
  const unknown = applied.filter((name) => !known.includes(name));
  if (!unknown.length) return;
  const names = [...unknown.slice(0, 3), ...(unknown.length > 3 ? [`${unknown.length - 3} more`] : [])].join(', ');
  throw new Error(
    applied.some((name) => known.includes(name))
      ? `A newer version has migrated this database: this version does not know ${names}. Start the newer version.`
      : `This version cannot upgrade this database. It was created by a development version, before the migrations were ` +
          `replaced by one baseline for each module (${names}). Use an empty database.`,
  );
}
