import type { QueryResultRow } from 'pg';
import type { EntityManager } from 'typeorm';
import { pipelineOf } from './database.service.js';

/** By a prepared statement that reads one row, or none: then null. */
export async function oneRow<Row extends QueryResultRow>(
  tx: EntityManager,
  { name, text }: { name: string; text: string },
  values: readonly unknown[],
): Promise<Row | null> {
  const connection = await pipelineOf(tx);
  const { rows } = await connection.query<Row>({ name, text, values: [...values] });
  if (rows.length > 1) throw new Error('more than one row was found where there is one at most');
  return rows[0] ?? null;
}
