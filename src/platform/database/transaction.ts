import type { Pool, PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { Pipeline, type PipelineOpening } from './pipeline/pipeline.js';
import { PipelinedQueryRunner } from './pipeline/pipelined-query-runner.js';
import { poolOf } from './sources.js';
import { Tx } from './tx.js';

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const begin = { name: 'begin', text: 'begin' };
const beginRead = { name: 'begin-read', text: 'begin read only' };
const setTenant = { name: 'set-tenant', text: "select set_config('app.tenant', $1, true)" };
const setReadingTenant = {
  name: 'set-reading-tenant',
  text: "select set_config('app.tenant', $1, true), set_config('transaction_read_only', 'on', true)",
};
const setReason = { name: 'set-reason', text: "select set_config('application_name', $1, true)" };

/** The first statements of a transaction that sees one tenant's rows. */
export const beginForTenant = (principal: { tenantId: string }): PipelineOpening => ({
  begin: [begin, { ...setTenant, values: [idOf(principal)] }],
});

/** The same for a transaction that only reads. */
export function beginReadForTenant(principal: { tenantId: string }): PipelineOpening {
  const values = [idOf(principal)];
  return { begin: [beginRead, { ...setTenant, values }], beforeEachRead: [{ ...setReadingTenant, values }] };
}

function idOf({ tenantId }: { tenantId: string }): string {
  if (!uuid.test(tenantId)) throw new Error('tenant id is not a UUID');
  return tenantId;
}

export const beginForSystem = (reason: string): PipelineOpening => ({
  begin: [begin, { ...setReason, values: [`countersign: ${reason}`] }],
});

export async function transaction<T>(
  source: DataSource,
  opening: PipelineOpening,
  run: (tx: Tx) => Promise<T>,
): Promise<T> {
  const { tx, result } = await withClient(poolOf(source), (client) => runInTransaction(source, client, opening, run));
  await tx.runCommitCallbacks();
  return result;
}

/** Returns the result of a transaction that only reads without waiting for its end, which can be another round trip. */
export function readTransaction<T>(
  source: DataSource,
  opening: PipelineOpening,
  run: (tx: Tx) => Promise<T>,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const resolveEarly = async (tx: Tx) => resolve(await run(tx));
    withClient(poolOf(source), (client) => runInTransaction(source, client, opening, resolveEarly)).catch(reject);
  });
}

/** Runs a transaction on a connection that the caller keeps afterwards. */
export async function transactionOn<T>(
  source: DataSource,
  client: PoolClient,
  opening: PipelineOpening,
  run: (tx: Tx) => Promise<T>,
): Promise<T> {
  const { tx, result } = await runInTransaction(source, client, opening, run);
  await tx.runCommitCallbacks();
  return result;
}

/** A connection that broke while it was in use does not return to the pool. */
export async function withClient<T>(pool: Pool, run: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failure: Error | undefined;
  const onError = (error: Error) => (failure = error);
  client.on('error', onError);
  try {
    return await run(client);
  } finally {
    client.off('error', onError);
    client.release(failure);
  }
}

async function runInTransaction<T>(
  source: DataSource,
  client: PoolClient,
  opening: PipelineOpening,
  run: (tx: Tx) => Promise<T>,
): Promise<{ tx: Tx; result: T }> {
  const pipeline = new Pipeline(client, opening);
  const tx = new Tx(source, new PipelinedQueryRunner(source, client, pipeline), pipeline);
  try {
    const result = await run(tx);
    await pipeline.commit();
    return { tx, result };
  } catch (error) {
    await pipeline.rollback().catch(() => undefined); // the first error is the relevant one
    throw error;
  }
}
