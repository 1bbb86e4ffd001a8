/** $1 command, $2 child, $3 seconds. Returns a row if the child may be started. */
export const claimStdioCommand = `
  insert into stdio_children as c (command, child, lease_until, failures) values ($1, $2, now() + $3 * interval '1 second', 0)
  on conflict (command) do update set child = excluded.child, lease_until = excluded.lease_until
  where (c.child is null or c.lease_until < now()) and (c.start_after is null or c.start_after <= now())
  returning child`;

export interface CommandFailureState {
  failures: number;
  failure: string | null;
  /** Seconds until it may be started again. */
  waitSeconds: number;
}
/** $1 command */
export const commandFailureState = `
  select failures, failure, greatest(0, ceil(extract(epoch from start_after - now())))::int as "waitSeconds"
  from stdio_children where command = $1`;

/** $1 children, $2 seconds. Missing children now belong to another process. */
export const renewStdioLeases = `
  update stdio_children set lease_until = now() + $2 * interval '1 second' where child = any ($1) returning child`;

/** $1 child, which ended normally */
export const releaseStdioChild = 'update stdio_children set child = null, lease_until = null where child = $1';

/** $1 child, $2 reason, $3 whether it had run long enough, $4 longest delay in seconds */
export const failStdioChild = `
  update stdio_children set child = null, lease_until = null, failure = $2,
    failures = case when $3 then 1 else failures + 1 end,
    start_after = now() + least($4, 0.5 * 2 ^ least(20, case when $3 then 1 else failures + 1 end)) * interval '1 second'
  where child = $1`;
