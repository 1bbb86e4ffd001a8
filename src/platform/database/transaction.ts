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
 * For prepared statements in a transaction: `(await pipelineOf(tx)).query({ name, text, values })`. Concurrent
 * statements share one round trip.
 */
export async function pipelineOf(tx: EntityManager): Promise<Pipeline> {
  const pipeline = tx.queryRunner && pipelines.get(tx.queryRunner);
  if (!pipeline) throw new Error('not in a transaction');
  return pipeline;
}

/** `requestAll` issues all remaining statements at the same time. COMMIT is sent in the same round trip. */
export async function commitWith<T>(tx: EntityManager, requestAll: () => Promise<T>): Promise<T> {
  (await pipelineOf(tx)).commitWithNext();
  return requestAll();
}

/**
 * Commits without waiting for the WAL flush. Only for writes that are useless without a later commit that waits: its
 * flush includes all earlier WAL.
 */
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

/** Runs a transaction on a connection that the caller keeps afterwards. */
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
    await pipeline.rollback().catch(() => undefined); // the first error is the relevant one
    throw error;
  } finally {
    detachPipeline();
  }
}

/**
 * Tells TypeORM that a transaction is active (else its first save would commit), and routes its queries to the
 * pipeline.
 */
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
