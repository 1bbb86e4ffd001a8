import { statement } from '../database/statement.js';

const worker = { roles: ['cs_worker'] } as const;

export const lockPresence = statement<[lockClass: number, lockId: number], { pg_advisory_lock: unknown }>(
  'select pg_advisory_lock($1, $2)',
  worker,
);

export const insertJobPool = statement<[poolId: string, lockId: number]>(
  'insert into job_pools (pool_id, lock) values ($1, $2) on conflict do nothing',
  worker,
);

export const markStopping = statement<[lockId: number]>(
  'update job_pools set is_stopping = true where lock = $1',
  worker,
);

/** A job pool of a process that has ended. */
export interface LostPool {
  poolId: string;
  /** The process was shutting down, and ended before it released all its jobs. */
  isStopping: boolean;
}
/** Removes the pools whose process holds its lock no longer, unless the database restarted in the last seconds. */
export const deleteLostPools = statement<[lockClass: number, ownLockId: number, reannounceSeconds: number], LostPool>(
  `delete from job_pools p where p.lock <> $2 and not exists (
     select 1 from pg_locks l where l.locktype = 'advisory' and l.classid = $1 and l.objid = p.lock
       and l.database = (select oid from pg_database where datname = current_database()))
     and pg_postmaster_start_time() < now() - $3 * interval '1 second'
   returning pool_id as "poolId", is_stopping as "isStopping"`,
  worker,
);
