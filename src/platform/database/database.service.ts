import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { endPool } from './guarded-pool.js';
import { poolOf } from './sources.js';
import { QueryableRunner, type StatementRunner } from './statement.js';
import { beginForSystem, beginForTenant, beginReadForTenant, readTransaction, transaction } from './transaction.js';
import type { Tx } from './tx.js';

/**
 * The only way to open a transaction. `tenant` sees the rows of one tenant (row-level security). `system` has no tenant
 * and separate policies; only statements in `*.system.sql.ts` files may use it.
 */
@Injectable()
export class DatabaseService implements OnApplicationShutdown {
  /** For single statements, each its own transaction. Sees no rows of tenants unless the statement sets `app.tenant`. */
  readonly appPool: StatementRunner;
  /** For single statements of the system, each its own transaction. */
  readonly systemPool: StatementRunner;

  constructor(
    private readonly appSource: DataSource,
    private readonly systemSource: DataSource,
  ) {
    this.appPool = new QueryableRunner(poolOf(appSource));
    this.systemPool = new QueryableRunner(poolOf(systemSource));
  }

  tenant<T>(principal: { tenantId: string }, run: (tx: Tx) => Promise<T>): Promise<T> {
    return transaction(this.appSource, beginForTenant(principal), run);
  }

  /**
   * Can only read. Statements that are issued together take one round trip. Settings (`set local`) and locks last only
   * until it ends, unless an entity method came first.
   */
  read<T>(principal: { tenantId: string }, run: (tx: Tx) => Promise<T>): Promise<T> {
    return readTransaction(this.appSource, beginReadForTenant(principal), run);
  }

  /** `reason` documents the call, and appears in pg_stat_activity. */
  system<T>(reason: string, run: (tx: Tx) => Promise<T>): Promise<T> {
    return transaction(this.systemSource, beginForSystem(reason), run);
  }

  async onApplicationShutdown(): Promise<void> {
    const sources = [this.appSource, this.systemSource];
    await Promise.all(sources.map((source) => endPool(poolOf(source), () => source.destroy())));
  }
}
