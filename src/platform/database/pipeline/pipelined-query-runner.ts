import type { PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver.js';
import { PostgresQueryRunner } from 'typeorm/driver/postgres/PostgresQueryRunner.js';
import type { Pipeline } from './pipeline.js';

/** Sends the statements of TypeORM through the pipeline of a transaction that is already open. */
export class PipelinedQueryRunner extends PostgresQueryRunner {
  constructor(
    source: DataSource,
    client: PoolClient,
    private readonly pipeline: Pipeline,
  ) {
    super(source.driver as PostgresDriver, 'master');
    this.databaseConnection = client;
    // otherwise the first `save` would begin and commit a transaction of its own
    this.isTransactionActive = true;
    this.transactionDepth = 1;
  }

  override query(...args: Parameters<PostgresQueryRunner['query']>): ReturnType<PostgresQueryRunner['query']> {
    return this.pipeline.runExclusively(() => super.query(...args));
  }
}
