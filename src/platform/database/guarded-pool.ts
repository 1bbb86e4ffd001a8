import pg from 'pg';

/** A pool that reports broken connections to `onError`; without a listener they would crash the process. */
export function guardedPool(config: pg.PoolConfig, onError: (error: Error) => void): pg.Pool {
  const pool = new pg.Pool(config);
  pool.on('error', onError);
  pool.on('connect', (client) => client.on('error', onError));
  return pool;
}

/**
 * Resolves when every connection has ended. `pool.end()` alone resolves earlier, and a database that stops next would
 * break the open connections. `end`: ends the pool if another object owns it.
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
