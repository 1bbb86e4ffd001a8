import { randomInt } from 'node:crypto';
import pg from 'pg';

/** A job pool of a process that has ended. */
export interface LostPool {
  poolId: string;
  /** The process was shutting down, and ended before it released all its jobs. */
  isStopping: boolean;
}

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
    await connection.query('select pg_advisory_lock($1, $2)', [lockClass, this.lockId]);
    this.connection = connection;
    for (const pool of this.pools) await this.storePool(pool);
  }

  async addPool(poolId: string): Promise<void> {
    this.pools.add(poolId);
    await this.storePool(poolId);
  }

  /** From now on, the end of this process does not count as a loss. */
  async announceShutdown(): Promise<void> {
    await this.connection?.query('update job_pools set is_stopping = true where lock = $1', [this.lockId]);
  }

  /**
   * Removes the pools of lost processes, and releases their jobs with `releaseJobs` in the same transaction. Returns
   * the number of pools. A starting process does not wait until others have reconnected to a restarted database.
   */
  async removeLost(
    pool: pg.Pool,
    { isStarting }: { isStarting: boolean },
    releaseJobs: (client: pg.ClientBase, lost: readonly LostPool[]) => Promise<void>,
  ): Promise<number> {
    const client = await pool.connect();
    try {
      await client.query('begin');
      const { rows } = await client.query<LostPool>(
        `delete from job_pools p where p.lock <> $2 and not exists (
           select 1 from pg_locks l where l.locktype = 'advisory' and l.classid = $1 and l.objid = p.lock
             and l.database = (select oid from pg_database where datname = current_database()))
           and pg_postmaster_start_time() < now() - $3 * interval '1 second'
         returning pool_id as "poolId", is_stopping as "isStopping"`,
        [lockClass, this.lockId, isStarting ? 0 : reannounceSeconds],
      );
      if (rows.length) await releaseJobs(client, rows);
      await client.query('commit');
      client.release();
      return rows.length;
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
    await this.connection?.query('insert into job_pools (pool_id, lock) values ($1, $2) on conflict do nothing', [
      poolId,
      this.lockId,
    ]);
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
