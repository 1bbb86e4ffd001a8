import { statement } from '../../platform/database/statement.js';

/** Affects a row if the child may be started. */
export const claimStdioCommand = statement<[command: string, child: string, leaseSeconds: number]>(
  `
  insert into stdio_children as c (command, child, lease_until, failures) values ($1, $2, now() + $3 * interval '1 second', 0)
  on conflict (command) do update set child = excluded.child, lease_until = excluded.lease_until
  where (c.child is null or c.lease_until < now()) and (c.start_after is null or c.start_after <= now())`,
);

export interface CommandFailureState {
  failures: number;
  failure: string | null;
  /** Seconds until it may be started again. */
  waitSeconds: number;
}
export const commandFailureState = statement<[command: string], CommandFailureState>(`
  select failures, failure, greatest(0, ceil(extract(epoch from start_after - now())))::int as "waitSeconds"
  from stdio_children where command = $1`);

/** Missing children now belong to another process. */
export const renewStdioLeases = statement<[children: string[], leaseSeconds: number], { child: string }>(
  `update stdio_children set lease_until = now() + $2 * interval '1 second' where child = any ($1) returning child`,
  { neverNull: ['child'] },
);

/** For a child that ended normally. */
export const releaseStdioChild = statement<[child: string]>(
  'update stdio_children set child = null, lease_until = null where child = $1',
);

export const failStdioChild = statement<
  [child: string, reason: string, hasWorkedLong: boolean, maxDelaySeconds: number]
>(`
  update stdio_children set child = null, lease_until = null, failure = $2,
    failures = case when $3 then 1 else failures + 1 end,
    start_after = now() + least($4, 0.5 * 2 ^ least(20, case when $3 then 1 else failures + 1 end)) * interval '1 second'
  where child = $1`);
