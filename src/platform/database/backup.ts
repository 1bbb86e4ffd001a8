import { createReadStream, createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { Client, escapeIdentifier } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { backupRole } from './addresses.js';
import { appliedMigrations } from './applied-migrations.js';

/**
 * A backup is a gzip file of lines: a header `{countersign, at, migrations}`, then for each table `{table, columns}`,
 * its rows in COPY's text format, and `\.`. It needs no pg_dump, and contains no master key: sealed values stay
 * encrypted.
 */
interface Header {
  countersign: 1;
  at: string;
  migrations: string[];
}
interface TableHeader {
  table: string;
  columns: string[];
}

const endOfTable = '\\.';

/**
 * Writes a snapshot of all rows while the server runs. Fails if the file exists. Returns the number of rows by table.
 */
export async function backUp(owner: Client, file: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  await owner.query('begin isolation level repeatable read read only');
  try {
    const target = createWriteStream(file, { mode: 0o600, flags: 'wx' });
    await pipeline(Readable.from(backupChunks(owner, counts)), createGzip(), target);
  } finally {
    await owner.query('rollback');
  }
  return counts;
}

async function* backupChunks(owner: Client, counts: Record<string, number>): AsyncGenerator<string | Buffer> {
  const header: Header = { countersign: 1, at: new Date().toISOString(), migrations: await appliedMigrations(owner) };
  yield `${JSON.stringify(header)}\n`;
  const tables = await tablesInOrder(owner);
  await owner.query(`set local role ${backupRole}`);
  for (const { table, columns } of tables) {
    yield `${JSON.stringify({ table, columns })}\n`;
    const rows = owner.query(
      copyTo(`copy ${escapeIdentifier(table)} (${columns.map(escapeIdentifier).join(', ')}) to stdout`),
    );
    for await (const chunk of rows) yield chunk as Buffer;
    counts[table] = rows.rowCount;
    yield `${endOfTable}\n`;
  }
}

/** Restores a backup into an empty, migrated database, in one transaction. Returns the number of rows by table. */
export async function restore(owner: Client, file: string): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  const lines = splitLines(createReadStream(file).pipe(createGunzip()).setEncoding('utf8'));
  const header = await nextJson<Header>(lines);
  if (header?.countersign !== 1) throw new Error(`${file} is not a backup of Countersign`);
  const present = await appliedMigrations(owner);
  const unknown = header.migrations.filter((name) => !present.includes(name));
  if (unknown.length)
    throw new Error(`the backup was made by another version: this version does not know ${unknown.join(', ')}`);

  await owner.query('begin');
  try {
    for (let table = await nextJson<TableHeader>(lines); table; table = await nextJson<TableHeader>(lines)) {
      counts[table.table] = await restoreTable(owner, table, lines);
    }
    await owner.query('commit');
  } catch (error) {
    await owner.query('rollback');
    throw error;
  }
  return counts;
}

async function restoreTable(
  owner: Client,
  { table, columns }: TableHeader,
  lines: AsyncIterator<string>,
): Promise<number> {
  const name = escapeIdentifier(table);
  const { rowCount } = await owner.query(`select 1 from ${name} limit 1`);
  if (rowCount) throw new Error(`restore needs an empty database, but ${table} has rows`);
  // COPY does not work under row-level security; it is forced again before the transaction commits
  const { rows } = await owner.query<{ forced: boolean }>(
    'select relforcerowsecurity as forced from pg_class where oid = $1::regclass',
    [name],
  );
  if (rows[0].forced) await owner.query(`alter table ${name} no force row level security`);
  await owner.query(`alter table ${name} disable trigger user`); // the backup contains their effects
  const target = owner.query(copyFrom(`copy ${name} (${columns.map(escapeIdentifier).join(', ')}) from stdin`));
  await pipeline(Readable.from(rowsUntilEnd(lines)), target);
  await owner.query(`alter table ${name} enable trigger user`);
  if (rows[0].forced) await owner.query(`alter table ${name} force row level security`);
  return target.rowCount;
}

async function* rowsUntilEnd(lines: AsyncIterator<string>): AsyncGenerator<string> {
  for (let line = await lines.next(); !line.done; line = await lines.next()) {
    if (line.value === endOfTable) return;
    yield `${line.value}\n`;
  }
  throw new Error('the backup ends in the middle of a table');
}

/** node:readline also breaks lines at U+2028, which occurs in documents. */
async function* splitLines(text: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of text) {
    const parts = (rest + chunk).split('\n');
    rest = parts.pop()!;
    yield* parts;
  }
  if (rest) yield rest;
}

async function nextJson<T>(lines: AsyncIterator<string>): Promise<T | null> {
  const line = await lines.next();
  return line.done ? null : (JSON.parse(line.value) as T);
}

/** Tables that the backup role may read, each after the tables that its foreign keys reference. */
async function tablesInOrder(owner: Client): Promise<TableHeader[]> {
  const { rows } = await owner.query<TableHeader & { needs: string[] }>(
    `select c.relname as table,
            (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
              where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
              and has_column_privilege($1, c.oid, a.attnum, 'select')) as columns,
            (select coalesce(array_agg(distinct f.relname::text), '{}') from pg_constraint k join pg_class f on f.oid = k.confrelid
              where k.conrelid = c.oid and k.contype = 'f' and f.oid <> c.oid) as needs
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and has_any_column_privilege($1, c.oid, 'select')
     order by 1`,
    [backupRole],
  );
  const ordered: TableHeader[] = [];
  while (ordered.length < rows.length) {
    const done = new Set(ordered.map((row) => row.table));
    const ready = rows.filter((row) => !done.has(row.table) && row.needs.every((need) => done.has(need)));
    if (!ready.length)
      throw new Error(
        `tables with a foreign key to a table that is not backed up, or with circular foreign keys: ${remainingTables(rows, done)}`,
      );
    ordered.push(...ready.map(({ table, columns }) => ({ table, columns })));
  }
  return ordered;
}

const remainingTables = (rows: TableHeader[], done: Set<string>) =>
  rows
    .map((row) => row.table)
    .filter((table) => !done.has(table))
    .join(', ');
