import { randomInt } from 'node:crypto';
import pg from 'pg';

/** "CSJB": the class of the session locks that stand for processes. */
const lockClass = 0x43534a42;
const againMs = 1000;

/**
 * A session lock stands for this process and its job pools: when it is gone, so are we, and the others take our jobs. A
 * connection that breaks is made again, or the living would be taken for dead.
 */
export class Presence {
  private readonly lock = randomInt(2 ** 31);
  private readonly pools = new Set<string>();
  private connection?: pg.Client;
  private isEnded = false;

  constructor(
    private readonly config: pg.ClientConfig,
    private readonly onError: (error: Error) => void,
  ) {}

  async announce(): Promise<void> {
    const connection = new pg.Client({ ...this.config, keepAlive: true });
    connection.on('error', this.onError);
    await connection.connect();
    connection.on('end', () => this.announceAgain());
    await connection.query('select pg_advisory_lock($1, $2)', [lockClass, this.lock]);
    this.connection = connection;
    for (const pool of this.pools) await this.write(pool);
  }

  async enter(poolId: string): Promise<void> {
    this.pools.add(poolId);
    await this.write(poolId);
  }

  /** The pools of processes that are gone, taken off the list. */
  async takeDead(pool: pg.Pool): Promise<string[]> {
    const { rows } = await pool.query<{ pool_id: string }>(
      `delete from job_pools p where p.lock <> $2 and not exists (
         select 1 from pg_locks l where l.locktype = 'advisory' and l.classid = $1 and l.objid = p.lock
           and l.database = (select oid from pg_database where datname = current_database()))
       returning pool_id`,
      [lockClass, this.lock],
    );
    return rows.map((row) => row.pool_id);
  }

  async end(): Promise<void> {
    this.isEnded = true;
    await this.connection?.end();
  }

  private async write(poolId: string): Promise<void> {
    await this.connection?.query('insert into job_pools (pool_id, lock) values ($1, $2) on conflict do nothing', [
      poolId,
      this.lock,
    ]);
  }

  private announceAgain(): void {
    if (this.isEnded) return;
    const again = () =>
      void this.announce().catch((error: Error) => {
        this.onError(error);
        this.announceAgain();
      });
    setTimeout(again, againMs).unref();
  }
}
