import { readFileSync } from 'node:fs';
import type { Client } from 'pg';
import { sha256 } from '../crypto/digest.js';

/**
 * A SQL file that fully defines functions and triggers with `create or replace`, and their grants. It is applied again
 * whenever its text changes. If the parameters or the result of a function change, a migration drops the function
 * first.
 */
export interface RepeatableMigration {
  /** The path relative to the sources. */
  name: string;
  sql: string;
}

export const repeatableMigrationsIn = (base: string, names: string[]): RepeatableMigration[] =>
  names.map((name) => ({ name, sql: readFileSync(new URL(name, base), 'utf8') }));

/** The migrations that the next start applies, in order. In an empty database: all. */
export async function changedMigrations(owner: Client, list: RepeatableMigration[]): Promise<RepeatableMigration[]> {
  const { rows: tables } = await owner.query<{ exists: boolean }>(
    `select to_regclass('public.repeatable_migrations') is not null as exists`,
  );
  if (!tables[0].exists) return list;
  const { rows } = await owner.query<{ name: string; hash: string }>('select name, hash from repeatable_migrations');
  const applied = new Map(rows.map(({ name, hash }) => [name, hash]));
  return list.filter((migration) => applied.get(migration.name) !== hashOf(migration));
}

/** Applies all changed migrations in one transaction. Returns their names. */
export async function applyChanged(owner: Client, list: RepeatableMigration[]): Promise<string[]> {
  const changed = await changedMigrations(owner, list);
  if (!changed.length) return [];
  await owner.query('begin');
  try {
    for (const migration of changed) await apply(owner, migration);
    await owner.query('commit');
  } catch (error) {
    await owner.query('rollback');
    throw error;
  }
  return changed.map(({ name }) => name);
}

async function apply(owner: Client, migration: RepeatableMigration): Promise<void> {
  try {
    await owner.query(migration.sql);
  } catch (error) {
    throw new Error(`${migration.name} cannot be applied: ${(error as Error).message}`, { cause: error });
  }
  await owner.query(
    `insert into repeatable_migrations (name, hash, applied_at) values ($1, $2, now())
     on conflict (name) do update set hash = excluded.hash, applied_at = excluded.applied_at`,
    [migration.name, hashOf(migration)],
  );
}

const hashOf = ({ sql }: RepeatableMigration): string => sha256(sql).toString('hex');
