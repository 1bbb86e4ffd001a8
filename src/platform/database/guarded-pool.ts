import pg from 'pg';

/** A pool whose broken connections end in `onError` instead of ending the process. */
export function guardedPool(config: pg.PoolConfig, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool(config);
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  return pool;
}

/**
 * Comes back when every connection has ended: `pool.end()` alone does so earlier, and whoever stops the database next would
 * break them. `end`: what ends the pool, where something else owns it.
 */
export async function endPool(pool: pg.Pool, end: () => Promise<void> = () => pool.end()): Promise<void> {
  let open = pool.totalCount;
  const haveEnded = new Promise<void>((resolve) => {
    if (!open) resolve();
    pool.on('remove', () => {
      open -= 1;
      if (!open) resolve();
    });
  });
  await end();
  await haveEnded;
}
