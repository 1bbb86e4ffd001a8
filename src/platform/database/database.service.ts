import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool } from 'pg';
import { DataSource, type EntityManager } from 'typeorm';
import { afterCommit } from './after-commit.js';
import { endPool } from './guarded-pool.js';
import {
  beginForTenant,
  beginForSystem,
  pipelineOf,
  commitWithoutFlush,
  commitWith,
  transaction,
} from './transaction.js';

export { afterCommit, pipelineOf, commitWithoutFlush, commitWith };

/**
 * The only way to open a transaction. `tenant` sees the rows of one tenant (row-level security). `system` has no tenant
 * and separate policies; only statements in `*.system.sql.ts` files may use it.
 */
@Injectable()
export class DatabaseService implements OnApplicationShutdown {
  constructor(
    private readonly appSource: DataSource,
    private readonly systemSource: DataSource,
  ) {}

  /** For prepared statements outside of a transaction. Sees no rows until `app.tenant` is set. */
  get appPool(): Pool {
    return poolOf(this.appSource);
  }
  get systemPool(): Pool {
    return poolOf(this.systemSource);
  }

  tenant<T>(principal: { tenantId: string }, run: (tx: EntityManager) => Promise<T>): Promise<T> {
    return transaction(this.appSource, beginForTenant(principal), run);
  }

  /** `reason` documents the call, and appears in pg_stat_activity. */
  system<T>(reason: string, run: (tx: EntityManager) => Promise<T>): Promise<T> {
    return transaction(this.systemSource, beginForSystem(reason), run);
  }

  async onApplicationShutdown(): Promise<void> {
    const sources = [this.appSource, this.systemSource];
    await Promise.all(sources.map((source) => endPool(poolOf(source), () => source.destroy())));
  }
}

const poolOf = (source: DataSource): Pool => (source.driver as unknown as { master: Pool }).master;
