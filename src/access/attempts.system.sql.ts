/** $1 buckets in ascending order (prevents deadlocks between processes), $2 length of the window in seconds */
export const countAttempt = `
  insert into attempts as a (bucket, count, since)
  select bucket, 1, now() from unnest($1::bytea[]) as bucket
  on conflict (bucket) do update set
    count = case when a.since > now() - make_interval(secs => $2) then a.count + 1 else 1 end,
    since = case when a.since > now() - make_interval(secs => $2) then a.since else now() end
  returning bucket, count, ceil($2 - extract(epoch from now() - since))::int as "secondsLeft"`;

/**
 * A successful attempt does not count. It also resets $2 (same account and address): the earlier attempts were typos.
 */
export const forgiveAttempt = `
  update attempts set count = case when bucket = $2 then 0 else greatest(count - 1, 0) end where bucket = any($1)`;

export const sweepAttempts = `delete from attempts where since < now() - interval '1 day'`;
