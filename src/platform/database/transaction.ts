import type { PoolClient } from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { committed } from './after-commit.js';
import { Line } from './line.js';
import type { Statement } from './trip.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const begin = { name: 'begin', text: 'begin' };
const setTenant = { name: 'set-tenant', text: "select set_config('app.tenant', $1, true)" };
const setReason = { name: 'set-reason', text: "select set_config('application_name', $1, true)" };
const doNotFlush = { name: 'do-not-flush', text: "select set_config('synchronous_commit', 'off', true)" };

/** The first statements of a transaction that sees one tenant's rows. */
export function beginAs({ tenantId }: { tenantId: string }): Statement[] {
  if (!uuid.test(tenantId)) throw new Error('tenant id is not a UUID');
  return [begin, { ...setTenant, values: [tenantId] }];
}

export const beginFor = (reason: string): Statement[] => [begin, { ...setReason, values: [`countersign: ${reason}`] }];

const lines = new WeakMap<QueryRunner, Line>();

/**
 * For prepared statements of a transaction: `(await client(tx)).query({ name, text, values })`. Those that are asked for at the
 * same time make one round trip.
 */
export async function client(tx: EntityManager): Promise<Line> {
  const line = tx.queryRunner && lines.get(tx.queryRunner);
  if (!line) throw new Error('not in a transaction');
  return line;
}

/** `ask` asks for all that is left to do, at the same time: the commit goes with it. */
export async function lastly<T>(tx: EntityManager, ask: () => Promise<T>): Promise<T> {
  (await client(tx)).endWithNext();
  return ask();
}

/** For what a later commit, which is waited for, makes worth keeping: it takes along what was written to the log before. */
export async function commitWithoutFlush(tx: EntityManager): Promise<void> {
  await (await client(tx)).query(doNotFlush);
}

export async function transaction<T>(
  source: DataSource,
  opening: readonly Statement[],
  run: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  const runner = source.createQueryRunner();
  let result: T;
  try {
    result = await uncommitted(runner, opening, run);
  } finally {
    await runner.release();
  }
  await committed(runner.manager);
  return result;
}

/** On a connection that stays ours afterwards. */
export async function transactionOn<T>(
  runner: QueryRunner,
  opening: readonly Statement[],
  run: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  const result = await uncommitted(runner, opening, run);
  await committed(runner.manager);
  return result;
}

async function uncommitted<T>(
  runner: QueryRunner,
  opening: readonly Statement[],
  run: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  const line = new Line((await runner.connect()) as PoolClient, opening);
  const letGo = keepTo(line, runner);
  try {
    const result = await run(runner.manager);
    await line.commit();
    return result;
  } catch (error) {
    await line.rollback().catch(() => undefined); // the first error is the one to tell
    throw error;
  } finally {
    letGo();
  }
}

/** TypeORM has to know that there is a transaction, or its first save would commit everything, and to keep to its line. */
function keepTo(line: Line, runner: QueryRunner): () => void {
  const { query } = runner;
  const ask = query.bind(runner) as (...args: unknown[]) => Promise<unknown>;
  lines.set(runner, line);
  Object.assign(runner, {
    isTransactionActive: true,
    transactionDepth: 1,
    query: (...args: unknown[]) => line.directly(() => ask(...args)),
  });
  return () => {
    lines.delete(runner);
    Object.assign(runner, { isTransactionActive: false, transactionDepth: 0, query });
  };
}
