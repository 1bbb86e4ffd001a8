import { Pool } from 'undici';
import type { Measured } from './load.ts';

export interface Ask {
  headers: Record<string, string>;
  /** The body of the n-th request. */
  body(n: number): string;
}

/** `count` callers, each with its own connection and one request at a time. Every response must be a result. */
export async function callers(url: string, ask: Ask, count: number, seconds: number): Promise<Measured> {
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, { connections: count, pipelining: 1 });
  let n = 0;
  const measured = await timed(count, seconds, async () => {
    const { statusCode, body } = await pool.request({
      path,
      method: 'POST',
      headers: ask.headers,
      body: ask.body(++n),
    });
    const text = await body.text();
    if (statusCode !== 200 || !text.includes('"result"') || text.includes('"isError":true'))
      throw new Error(`${url} answered ${statusCode}: ${text.slice(0, 500)}`);
  });
  await pool.close();
  return measured;
}

/** `count` callers, each with one call at a time. */
export async function timed(
  count: number,
  seconds: number,
  call: (caller: number) => Promise<void>,
): Promise<Measured> {
  const taken: number[] = [];
  const since = performance.now();
  const until = since + seconds * 1000;
  await Promise.all(
    Array.from({ length: count }, async (_, caller) => {
      while (performance.now() < until) {
        const before = performance.now();
        await call(caller);
        taken.push(performance.now() - before);
      }
    }),
  );
  const milliseconds = performance.now() - since;
  taken.sort((a, b) => a - b);
  const at = (share: number) => taken[Math.min(taken.length - 1, Math.floor(taken.length * share))];
  return { perSecond: (taken.length / milliseconds) * 1000, p50: at(0.5), p99: at(0.99) };
}
