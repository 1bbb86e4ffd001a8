import type { PoolClient } from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { committed } from './after-commit.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** The first statement of a transaction that sees one tenant's rows. */
export function beginAs({ tenantId }: { tenantId: string }): string {
  if (!uuid.test(tenantId)) throw new Error('tenant id is not a UUID');
  return `begin; set local app.tenant = '${tenantId}'`;
}

export async function transaction<T>(
  source: DataSource,
  begin: string,
  run: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  const runner = source.createQueryRunner();
  let result: T;
  try {
    result = await uncommitted(runner, begin, run);
  } finally {
    await runner.release();
  }
  await committed(runner.manager);
  return result;
}

/** On a connection that stays ours afterwards. */
export async function transactionOn<T>(
  runner: QueryRunner,
  begin: string,
  run: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  const result = await uncommitted(runner, begin, run);
  await committed(runner.manager);
  return result;
}

async function uncommitted<T>(runner: QueryRunner, begin: string, run: (tx: EntityManager) => Promise<T>): Promise<T> {
  try {
    const connection = (await runner.connect()) as PoolClient;
    // one round trip for BEGIN and the tenant; TypeORM has to be told, or its first save would commit everything
    await connection.query(begin);
    Object.assign(runner, { isTransactionActive: true, transactionDepth: 1 });
    const result = await run(runner.manager);
    await runner.commitTransaction();
    return result;
  } catch (error) {
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined); // the first error is the one to tell
    throw error;
  }
}
