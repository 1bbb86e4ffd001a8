import { createHash } from 'node:crypto';
import type { QueryResultRow } from 'pg';
import type { EntityManager, QueryRunner } from 'typeorm';
import { client } from './database.service.js';

/** A prepared statement that reads one row, or none. */
export interface Statement {
  name: string;
  text: string;
}
interface Question extends Statement {
  values: readonly unknown[];
}
interface Waiting extends Question {
  resolve(row: QueryResultRow | null): void;
  reject(error: unknown): void;
}

const questions = new WeakMap<QueryRunner, Waiting[]>();
const combined = new Map<string, Statement>();
/** Before each question's own columns, so that it is known where they begin, and whether there is a row. */
const mark = '?';

/**
 * What is asked in one transaction without waiting for each other's answers is asked in one statement: one way there and
 * back, one look at the tables. Null where there is no such row.
 */
export function oneRow<Row extends QueryResultRow>(
  tx: EntityManager,
  { name, text }: Statement,
  values: readonly unknown[],
): Promise<Row | null> {
  const runner = tx.queryRunner;
  if (!runner) throw new Error('not in a transaction');
  return new Promise((resolve, reject) => {
    const waiting = questions.get(runner) ?? [];
    waiting.push({ name, text, values, resolve: resolve as Waiting['resolve'], reject });
    if (waiting.length > 1) return;
    questions.set(runner, waiting);
    // after everything that is to be done without waiting
    process.nextTick(() => {
      questions.delete(runner);
      void answer(tx, waiting);
    });
  });
}

async function answer(tx: EntityManager, waiting: Waiting[]): Promise<void> {
  try {
    const rows = await rowsOf(tx, waiting);
    waiting.forEach(({ resolve }, nth) => resolve(rows[nth]));
  } catch (error) {
    waiting.forEach(({ reject }) => reject(error));
  }
}

async function rowsOf(tx: EntityManager, asked: readonly Question[]): Promise<(QueryResultRow | null)[]> {
  const connection = await client(tx);
  const values = asked.flatMap((one) => one.values);
  if (asked.length === 1) {
    const { rows } = await connection.query<QueryResultRow>({ name: asked[0].name, text: asked[0].text, values });
    return [only(rows)];
  }
  const statement = { ...together(asked), values, rowMode: 'array' } as const;
  const { rows, fields } = await connection.query<unknown[]>(statement);
  const row = only(rows)!;
  const starts = fields.flatMap(({ name }, at) => (name === mark ? [at] : []));
  return starts.map((start, nth) => {
    const names = fields.slice(start + 1, starts[nth + 1]);
    return row[start] ? Object.fromEntries(names.map(({ name }, at) => [name, row[start + 1 + at]])) : null;
  });
}

/** The same statements in the same order come to the same one, which stays prepared. */
function together(asked: readonly Question[]): Statement {
  const key = asked.map(({ name }) => name).join();
  const known = combined.get(key);
  if (known) return known;
  let before = 0;
  const rows = asked.map(({ text, values }, nth) => {
    const own = text.replace(/\$(\d+)/g, (_, at: string) => `$${before + Number(at)}`);
    before += values.length;
    return `left join (select true as "${mark}", o.* from (${own}) o) q${nth} on true`;
  });
  const name = `together-${createHash('sha256').update(key).digest('hex').slice(0, 32)}`;
  const columns = asked.map((_, nth) => `q${nth}.*`);
  const made = { name, text: `select ${columns.join(', ')} from (select) nothing ${rows.join(' ')}` };
  combined.set(key, made);
  return made;
}

function only<Row>(rows: Row[]): Row | null {
  if (rows.length > 1) throw new Error('more than one row was found where there is one at most');
  return rows[0] ?? null;
}
