import { randomInt } from 'node:crypto';
import type pg from 'pg';
import { StandingConnection } from '../database/standing-connection.js';
import { QueryableRunner, type StatementRunner } from '../database/statement.js';
import { deleteLostPools, insertJobPool, lockPresence, type LostPool, markStopping } from './process-presence.sql.js';

/** "CSJB": the class of the advisory session locks that represent processes. */
const lockClass = 0x43534a42;
/** Time for processes to announce themselves again after a restart of the database. */
const reannounceSeconds = 10;

/**
 * An advisory session lock represents this process and its job pools. When the lock is gone, other processes consider
 * this process lost and take its jobs. A broken connection is therefore reopened.
 */
export class ProcessPresence {
  private readonly lockId = randomInt(2 ** 31);
  private readonly pools = new Set<string>();
  private readonly connection: StandingConnection;
  private statements?: StatementRunner;

  constructor(config: pg.ClientConfig, onError: (error: Error) => void) {
    this.connection = new StandingConnection({ config, prepare: (client) => this.lock(client), onError });
  }

  get poolId(): string {
    const [poolId] = this.pools;
    return poolId;
  }

  announce(): Promise<void> {
    return this.connection.open();
  }

  async addPool(poolId: string): Promise<void> {
    this.pools.add(poolId);
    await this.storePool(poolId);
  }

  /** From now on, the end of this process does not count as a loss. */
  async announceShutdown(): Promise<void> {
    await this.statements?.execute(markStopping, [this.lockId]);
  }

  /**
   * Removes the pools of lost processes, and releases their jobs with `releaseJobs` in the same transaction. Returns
   * the number of pools. A starting process does not wait until others have reconnected to a restarted database.
   */
  async removeLost(
    pool: pg.Pool,
    { isStarting }: { isStarting: boolean },
    releaseJobs: (transaction: StatementRunner, lost: readonly LostPool[]) => Promise<void>,
  ): Promise<number> {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const transaction = new QueryableRunner(client);
      const params: [number, number, number] = [lockClass, this.lockId, isStarting ? 0 : reannounceSeconds];
      const lost = await transaction.run(deleteLostPools, params);
      if (lost.length) await releaseJobs(transaction, lost);
      await client.query('commit');
      client.release();
      return lost.length;
    } catch (error) {
      client.release(true); // ends the transaction
      throw error;
    }
  }

  end(): Promise<void> {
    return this.connection.close();
  }

  private async lock(client: pg.Client): Promise<void> {
    const statements = new QueryableRunner(client);
    await statements.execute(lockPresence, [lockClass, this.lockId]);
    this.statements = statements;
    for (const pool of this.pools) await this.storePool(pool);
  }

  private async storePool(poolId: string): Promise<void> {
    await this.statements?.execute(insertJobPool, [poolId, this.lockId]);
  }
}
