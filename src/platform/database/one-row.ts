import type { QueryResultRow } from 'pg';
import type { EntityManager } from 'typeorm';
import { pipelineOf } from './database.service.js';

/** Runs a prepared statement that returns at most one row. Returns null if there is none. */
export async function oneRow<Row extends QueryResultRow>(
  tx: EntityManager,
  { name, text }: { name: string; text: string },
  values: readonly unknown[],
): Promise<Row | null> {
  const connection = await pipelineOf(tx);
  const { rows } = await connection.query<Row>({ name, text, values: [...values] });
  if (rows.length > 1) throw new Error('the statement returned more than one row');
  return rows[0] ?? null;
}
