import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import type { DatabaseAddresses } from './addresses.js';
import { endPool } from './guarded-pool.js';
import { poolOf, workSource } from './sources.js';
import { QueryableRunner } from './statement.js';
import { DATABASE_ADDRESSES } from './tokens.js';
import { beginForTenant, transactionOn, withClient } from './transaction.js';
import type { Tx } from './tx.js';

/** Further work waits for a connection. Syncs hold up to three. */
const maxBulkConnections = 5;

/**
 * One connection for the duration of a bulk operation. Its temporary tables outlive its transactions. Outside of
 * transactions it sees no rows of tenants.
 */
export class BulkConnection extends QueryableRunner {
  constructor(
    private readonly source: DataSource,
    /** For COPY. */
    readonly client: PoolClient,
  ) {
    super(client);
  }

  tenant<T>(principal: { tenantId: string }, run: (tx: Tx) => Promise<T>): Promise<T> {
    return transactionOn(this.source, this.client, beginForTenant(principal), run);
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
  tenant<T>(principal: { tenantId: string }, run: (tx: Tx) => Promise<T>): Promise<T> {
    return this.use((connection) => connection.tenant(principal, run));
  }

  async use<T>(run: (connection: BulkConnection) => Promise<T>): Promise<T> {
    this.source ??= workSource(this.addresses, 'cs_bulk', [], maxBulkConnections).initialize();
    const source = await this.source;
    return withClient(poolOf(source), async (client) => {
      try {
        return await run(new BulkConnection(source, client));
      } finally {
        await client.query('discard temp').catch(() => undefined); // the connection is broken: the pool removes it
      }
    });
  }

  async onApplicationShutdown(): Promise<void> {
    const source = await this.source;
    if (source) await endPool(poolOf(source), () => source.destroy());
  }
}
