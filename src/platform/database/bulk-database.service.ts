import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { Pool, PoolClient } from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { DatabaseAddresses } from './addresses.js';
import { endPool } from './guarded-pool.js';
import { workSource } from './sources.js';
import { DATABASE_ADDRESSES } from './tokens.js';
import { beginForTenant, transactionOn } from './transaction.js';

/** Further work waits for a connection. Syncs hold up to three. */
const maxBulkConnections = 5;

/** One connection for the duration of a bulk operation. Its temporary tables outlive its transactions. */
export class BulkConnection {
  constructor(
    private readonly runner: QueryRunner,
    /** Outside of transactions, for temporary tables and COPY. It sees no rows of tenants. */
    readonly client: PoolClient,
  ) {}

  tenant<T>(principal: { tenantId: string }, run: (tx: EntityManager) => Promise<T>): Promise<T> {
    return transactionOn(this.runner, beginForTenant(principal), run);
  }
}

/**
 * Connections for bulk work: long operations with statements over many rows, often with temporary tables. Their role
 * (`cs_bulk`) can access only the tables that bulk work needs. They have separate statement limits and planner
 * settings, and a separate pool, so that requests never wait for them. The pool opens with the first operation.
 */
@Injectable()
export class BulkDatabaseService implements OnApplicationShutdown {
  private source?: Promise<DataSource>;

  constructor(@Inject(DATABASE_ADDRESSES) private readonly addresses: DatabaseAddresses) {}

  /** One bulk transaction. */
  tenant<T>(principal: { tenantId: string }, run: (tx: EntityManager) => Promise<T>): Promise<T> {
    return this.use((connection) => connection.tenant(principal, run));
  }

  async use<T>(run: (connection: BulkConnection) => Promise<T>): Promise<T> {
    this.source ??= workSource(this.addresses, 'cs_bulk', [], maxBulkConnections).initialize();
    const runner = (await this.source).createQueryRunner();
    const client = (await runner.connect()) as PoolClient;
    try {
      return await run(new BulkConnection(runner, client));
    } finally {
      await client.query('discard temp').catch(() => undefined); // the connection is broken: the pool removes it
      await runner.release();
    }
  }

  async onApplicationShutdown(): Promise<void> {
    const source = await this.source;
    if (source) await endPool((source.driver as unknown as { master: Pool }).master, () => source.destroy());
  }
}
