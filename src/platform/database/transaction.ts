import type { PoolClient } from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { runAfterCommitCallbacks } from './after-commit.js';
import { Pipeline } from './pipeline.js';
import type { SqlStatement } from './pipeline-batch.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const begin = { name: 'begin', text: 'begin' };
const setTenant = { name: 'set-tenant', text: "select set_config('app.tenant', $1, true)" };
const setReason = { name: 'set-reason', text: "select set_config('application_name', $1, true)" };
const disableSynchronousCommit = { name: 'do-not-flush', text: "select set_config('synchronous_commit', 'off', true)" };

/** The first statements of a transaction that sees one tenant's rows. */
export function beginForTenant({ tenantId }: { tenantId: string }): SqlStatement[] {
  if (!uuid.test(tenantId)) throw new Error('tenant id is not a UUID');
  return [begin, { ...setTenant, values: [tenantId] }];
}

export const beginForSystem = (reason: string): SqlStatement[] => [
  begin,
  { ...setReason, values: [`countersign: ${reason}`] },
];

const pipelines = new WeakMap<QueryRunner, Pipeline>();

/**
 * For prepared statements of a transaction: `(await client(tx)).query({ name, text, values })`. Those that are asked for at the
 * same time make one round trip.
 */
export async function pipelineOf(tx: EntityManager): Promise<Pipeline> {
  const pipeline = tx.queryRunner && pipelines.get(tx.queryRunner);
  if (!pipeline) throw new Error('not in a transaction');
  return pipeline;
}

/** `ask` asks for all that is left to do, at the same time: the commit goes with it. */
export async function commitWith<T>(tx: EntityManager, requestAll: () => Promise<T>): Promise<T> {
  (await pipelineOf(tx)).commitWithNext();
  return requestAll();
}

/** For what a later commit, which is waited for, makes worth keeping: it takes along what was written to the log before. */
export async function commitWithoutFlush(tx: EntityManager): Promise<void> {
  await (await pipelineOf(tx)).query(disableSynchronousCommit);
}

export async function transaction<T>(
  source: DataSource,
  opening: readonly SqlStatement[],
  run: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  const runner = source.createQueryRunner();
  let result: T;
  try {
    result = await runInTransaction(runner, opening, run);
  } finally {
    await runner.release();
  }
  await runAfterCommitCallbacks(runner.manager);
  return result;
}

/** On a connection that stays ours afterwards. */
export async function transactionOn<T>(
  runner: QueryRunner,
  opening: readonly SqlStatement[],
  run: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  const result = await runInTransaction(runner, opening, run);
  await runAfterCommitCallbacks(runner.manager);
  return result;
}

async function runInTransaction<T>(
  runner: QueryRunner,
  opening: readonly SqlStatement[],
  run: (tx: EntityManager) => Promise<T>,
): Promise<T> {
  const pipeline = new Pipeline((await runner.connect()) as PoolClient, opening);
  const detachPipeline = attachPipeline(pipeline, runner);
  try {
    const result = await run(runner.manager);
    await pipeline.commit();
    return result;
  } catch (error) {
    await pipeline.rollback().catch(() => undefined); // the first error is the one to tell
    throw error;
  } finally {
    detachPipeline();
  }
}

/** TypeORM has to know that there is a transaction, or its first save would commit everything, and to keep to its line. */
function attachPipeline(pipeline: Pipeline, runner: QueryRunner): () => void {
  const { query } = runner;
  const originalQuery = query.bind(runner) as (...args: unknown[]) => Promise<unknown>;
  pipelines.set(runner, pipeline);
  Object.assign(runner, {
    isTransactionActive: true,
    transactionDepth: 1,
    query: (...args: unknown[]) => pipeline.runExclusively(() => originalQuery(...args)),
  });
  return () => {
    pipelines.delete(runner);
    Object.assign(runner, { isTransactionActive: false, transactionDepth: 0, query });
  };
}
