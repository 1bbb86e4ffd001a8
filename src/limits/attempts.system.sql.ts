import { statement } from '../platform/database/statement.js';

export interface AttemptBucketCount {
  bucket: Buffer;
  count: number;
  secondsLeft: number;
}
/** Ascending order prevents deadlocks between processes. */
export const countAttempt = statement<[bucketsInAscendingOrder: Buffer[], windowSeconds: number], AttemptBucketCount>(`
  insert into attempts as a (bucket, count, since)
  select bucket, 1, now() from unnest($1::bytea[]) as bucket
  on conflict (bucket) do update set
    count = case when a.since > now() - make_interval(secs => $2) then a.count + 1 else 1 end,
    since = case when a.since > now() - make_interval(secs => $2) then a.since else now() end
  returning bucket, count, ceil($2 - extract(epoch from now() - since))::int as "secondsLeft"`);

/**
 * A successful attempt does not count. It also resets `pair` (same account and address): the earlier attempts were
 * typos.
 */
export const forgiveAttempt = statement<[buckets: Buffer[], pair: Buffer | null]>(`
  update attempts set count = case when bucket = $2 then 0 else greatest(count - 1, 0) end where bucket = any($1)`);

export const sweepAttempts = statement(`delete from attempts where since < now() - interval '1 day'`);
