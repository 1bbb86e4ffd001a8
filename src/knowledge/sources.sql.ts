/** Statements of a sync run. $1 tenant, $2 connection, $3 run */

/** $4 revision of the connection, $5 seconds until the next run. Returns no row if another process runs the sync. */
export const claimRun = `
  update sources
  set run_id = $3, running_until = now() + interval '12 seconds', started_at = now(), next_at = now() + $5 * interval '1 second',
      connection_revision = $4, seen = 0, changed = 0, removed = 0, problem_count = 0, problems = '[]'
  where tenant_id = $1 and connection_id = $2 and (running_until is null or running_until < now())
  returning run_id`;

/** $4 seen, $5 changed, $6 removed. Returns no row if the run is superseded and must not write any more. */
export const renewRun = `
  update sources
  set running_until = now() + interval '12 seconds', seen = $4, changed = $5, removed = $6
  where tenant_id = $1 and connection_id = $2 and run_id = $3
  returning run_id`;

/** $4 problems, $5 their number */
export const completeRun = `
  update sources
  set run_id = null, running_until = null, finished_at = now(), complete_at = now(), failure = null, failures = 0, problems = $4, problem_count = $5
  where tenant_id = $1 and connection_id = $2 and run_id = $3
  returning run_id`;

/**
 * $4 reason, $5 problems, $6 their number. Retries with exponential backoff: 30 s, 1 min, … 1 h, but not after
 * `next_at`.
 */
export const failRun = `
  update sources
  set run_id = null, running_until = null, finished_at = now(), failure = $4, failures = failures + 1, problems = $5, problem_count = $6,
      next_at = least(now() + least(30 * 2 ^ least(failures, 7), 3600) * interval '1 second', next_at)
  where tenant_id = $1 and connection_id = $2 and run_id = $3
  returning failures`;

/** Releases a run that stopped because this process shuts down. Any worker can start the next one. */
export const releaseRun = `
  update sources set run_id = null, running_until = null, next_at = now()
  where tenant_id = $1 and connection_id = $2 and run_id = $3`;

/** Defers a paused source by a day. Resuming or removing its connection makes it due earlier. */
export const deferPausedSource = `
  update sources set next_at = now() + interval '1 day'
  where tenant_id = $1 and connection_id = $2 and running_until is null`;

/** Names and fingerprints of all documents of a connection. */
export const listStoredDocuments =
  'select external_id, fingerprint from documents where tenant_id = $1 and connection_id = $2';
