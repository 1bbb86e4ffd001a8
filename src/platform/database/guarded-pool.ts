import pg from 'pg';

/** A pool whose broken connections end in `onError` instead of ending the process. */
export function guardedPool(config: pg.PoolConfig, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool(config);
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  return pool;
}
