/* Folder scans. $1 tenant, $2 source, $3 run */

/** $4 revision of the connection, $5 its name, $6 seconds until the next scan. No row: another process is scanning. */
export const claimScan = `
  update estate_sources
  set run_id = $3, running_until = now() + interval '2 minutes', connection_revision = $4, name = $5,
      next_at = now() + $6 * interval '1 second'
  where tenant_id = $1 and id = $2 and (running_until is null or running_until < now())
  returning id`;

/** No row: the run was superseded and must not write anymore. */
export const renewScan = `
  update estate_sources set running_until = now() + interval '2 minutes'
  where tenant_id = $1 and id = $2 and run_id = $3 returning id`;

/** $4 places that could not be read, $5 their number */
export const completeScan = `
  update estate_sources
  set run_id = null, running_until = null, last_seen = now(), complete_at = now(), failure = null, failures = 0, problems = $4,
      problem_count = $5
  where tenant_id = $1 and id = $2 and run_id = $3`;

/** $4 reason. Retried sooner than usual, with exponential backoff. */
export const failScan = `
  update estate_sources
  set run_id = null, running_until = null, failure = $4, failures = failures + 1,
      next_at = least(now() + least(30 * 2 ^ least(failures, 7), 3600) * interval '1 second', next_at)
  where tenant_id = $1 and id = $2 and run_id = $3`;

/** Releases a run that a shutdown stopped, so that any worker can start it again. */
export const releaseScan = `
  update estate_sources set run_id = null, running_until = null, next_at = now()
  where tenant_id = $1 and id = $2 and run_id = $3`;

/** The connection was removed: ends all scans. */
export const endScans = `
  update estate_sources set run_id = null, running_until = null, next_at = null, last_seen = now(), failure = null
  where tenant_id = $1 and id = $2`;
