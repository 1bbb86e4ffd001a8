import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { afterCommit, committed } from './after-commit.js';
import { endPool } from './guarded-pool.js';

export { afterCommit };

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * The one way to a transaction. `tenant` sees the rows of one tenant and no other (row-level security); `system` works
 * without a tenant, under policies of its own, and only for statements that stand in a `*.system.sql.ts`.
 */
@Injectable()
export class Database implements OnApplicationShutdown {
  constructor(
    private readonly appSource: DataSource,
    private readonly systemSource: DataSource,
  ) {}

  /** For prepared statements without a transaction of their own. Sees nothing until `app.tenant` is set. */
  get app(): Pool {
    return pool(this.appSource);
  }
  get systemPool(): Pool {
    return pool(this.systemSource);
  }

  tenant<T>(principal: { tenantId: string }, run: (tx: EntityManager) => Promise<T>): Promise<T> {
    if (!uuid.test(principal.tenantId)) throw new Error('tenant id is not a UUID');
    return transaction(this.appSource, `begin; set local app.tenant = '${principal.tenantId}'`, run);
  }

  /** `reason` is for the reader, and for pg_stat_activity. */
  system<T>(reason: string, run: (tx: EntityManager) => Promise<T>): Promise<T> {
    return transaction(
      this.systemSource,
      `begin; set local application_name = 'countersign: ${reason.replace(/[^\w -]/g, '')}'`,
      run,
    );
  }

  async onApplicationShutdown(): Promise<void> {
    const sources = [this.appSource, this.systemSource];
    await Promise.all(sources.map((source) => endPool(pool(source), () => source.destroy())));
  }
}

/** The client that a transaction runs on, for prepared statements: `client(tx).query({ name, text, values })`. */
export async function client(tx: EntityManager): Promise<PoolClient> {
  if (!tx.queryRunner) throw new Error('not in a transaction');
  return (await tx.queryRunner.connect()) as PoolClient;
}

async function transaction<T>(source: DataSource, begin: string, run: (tx: EntityManager) => Promise<T>): Promise<T> {
  const runner = source.createQueryRunner();
  let result: T;
  try {
    const connection = (await runner.connect()) as PoolClient;
    // one round trip for BEGIN and the tenant; TypeORM has to be told, or its first save would commit everything
    await connection.query(begin);
    Object.assign(runner, { isTransactionActive: true, transactionDepth: 1 });
    result = await run(runner.manager);
    await runner.commitTransaction();
  } catch (error) {
    if (runner.isTransactionActive) await runner.rollbackTransaction().catch(() => undefined); // the first error is the one to tell
    throw error;
  } finally {
    await runner.release();
  }
  await committed(runner.manager);
  return result;
}

const pool = (source: DataSource): Pool => (source.driver as unknown as { master: Pool }).master;
