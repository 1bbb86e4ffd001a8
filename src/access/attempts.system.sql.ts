/** $1 buckets in ascending order (so that two processes never wait for each other), $2 seconds that a count lasts */
export const countAttempt = `
  insert into attempts as a (bucket, count, since)
  select bucket, 1, now() from unnest($1::bytea[]) as bucket
  on conflict (bucket) do update set
    count = case when a.since > now() - make_interval(secs => $2) then a.count + 1 else 1 end,
    since = case when a.since > now() - make_interval(secs => $2) then a.since else now() end
  returning bucket, count, ceil($2 - extract(epoch from now() - since))::int as "secondsLeft"`;

/** An attempt that was right does not count, and proves that those before it ($2, the same account and address) were slips. */
export const forgiveAttempt = `
  update attempts set count = case when bucket = $2 then 0 else greatest(count - 1, 0) end where bucket = any($1)`;

export const sweepAttempts = `delete from attempts where since < now() - interval '1 day'`;
