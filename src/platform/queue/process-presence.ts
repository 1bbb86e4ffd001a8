import { randomInt } from 'node:crypto';
import pg from 'pg';
import { QueryableRunner, type StatementRunner } from '../database/statement.js';
import { deleteLostPools, insertJobPool, lockPresence, type LostPool, markStopping } from './process-presence.sql.js';

/** "CSJB": the class of the advisory session locks that represent processes. */
const lockClass = 0x43534a42;
const reconnectMs = 1000;
/** Time for processes to announce themselves again after a restart of the database. */
const reannounceSeconds = 10;

/**
 * An advisory session lock represents this process and its job pools. When the lock is gone, other processes consider
 * this process lost and take its jobs. A broken connection is therefore reopened.
 */
export class ProcessPresence {
  private readonly lockId = randomInt(2 ** 31);
  private readonly pools = new Set<string>();
  private connection?: pg.Client;
  private statements?: StatementRunner;
  private isEnded = false;

  constructor(
    private readonly config: pg.ClientConfig,
    private readonly onError: (error: Error) => void,
  ) {}

  get poolId(): string {
    const [poolId] = this.pools;
    return poolId;
  }

  async announce(): Promise<void> {
    const connection = new pg.Client({ ...this.config, keepAlive: true });
    connection.on('error', this.onError);
    await connection.connect();
    connection.on('end', () => this.announceAgain());
    const statements = new QueryableRunner(connection);
    await statements.execute(lockPresence, [lockClass, this.lockId]);
    this.connection = connection;
    this.statements = statements;
    for (const pool of this.pools) await this.storePool(pool);
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

  async end(): Promise<void> {
    this.isEnded = true;
    await this.connection?.end();
  }

  private async storePool(poolId: string): Promise<void> {
    await this.statements?.execute(insertJobPool, [poolId, this.lockId]);
  }

  private announceAgain(): void {
    if (this.isEnded) return;
    const attempt = () =>
      void this.announce().catch((error: Error) => {
        this.onError(error);
        this.announceAgain();
      });
    setTimeout(attempt, reconnectMs).unref();
  }
}
