/** One look at a folder. $1 tenant, $2 source, $3 run */

/** $4 revision of the connection, $5 its name, $6 seconds until the next one. No row: another process is at it. */
export const claimScan = `
  update estate_sources
  set run_id = $3, running_until = now() + interval '2 minutes', connection_revision = $4, name = $5,
      next_at = now() + $6 * interval '1 second'
  where tenant_id = $1 and id = $2 and (running_until is null or running_until < now())
  returning id`;

/** No row: the run was overtaken, and nothing of it may be written any more. */
export const renewScan = `
  update estate_sources set running_until = now() + interval '2 minutes'
  where tenant_id = $1 and id = $2 and run_id = $3 returning id`;

/** $4 places that could not be looked into, $5 their number */
export const completeScan = `
  update estate_sources
  set run_id = null, running_until = null, last_seen = now(), complete_at = now(), failure = null, failures = 0, problems = $4,
      problem_count = $5
  where tenant_id = $1 and id = $2 and run_id = $3`;

/** $4 why. Tried again sooner than usual, then less and less often. */
export const failScan = `
  update estate_sources
  set run_id = null, running_until = null, failure = $4, failures = failures + 1,
      next_at = least(now() + least(30 * 2 ^ least(failures, 7), 3600) * interval '1 second', next_at)
  where tenant_id = $1 and id = $2 and run_id = $3`;

/** Gives a run back that was stopped by our own shutdown: it is begun anew wherever there is a worker. */
export const releaseScan = `
  update estate_sources set run_id = null, running_until = null, next_at = now()
  where tenant_id = $1 and id = $2 and run_id = $3`;

/** The connection is removed: there is nothing to look into any more */
export const endScans = `
  update estate_sources set run_id = null, running_until = null, next_at = null, last_seen = now(), failure = null
  where tenant_id = $1 and id = $2`;
