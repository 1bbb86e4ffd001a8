import { statement } from '../../platform/database/statement.js';

/** No row: another process is scanning. */
export const claimScan = statement<
  [
    tenantId: string,
    sourceId: string,
    runId: string,
    connectionRevision: number,
    name: string,
    intervalSeconds: number,
  ],
  { id: string }
>(`
  update estate_sources
  set run_id = $3, running_until = now() + interval '2 minutes', connection_revision = $4, name = $5,
      next_at = now() + $6 * interval '1 second'
  where tenant_id = $1 and id = $2 and (running_until is null or running_until < now())
  returning id`);

/** No row: the run was superseded and must not write anymore. */
export const renewScan = statement<[tenantId: string, sourceId: string, runId: string], { id: string }>(`
  update estate_sources set running_until = now() + interval '2 minutes'
  where tenant_id = $1 and id = $2 and run_id = $3 returning id`);

/** `problems`: the places that could not be read, as JSON. */
export const completeScan = statement<
  [tenantId: string, sourceId: string, runId: string, problems: string, problemCount: number]
>(`
  update estate_sources
  set run_id = null, running_until = null, last_seen = now(), complete_at = now(), failure = null, failures = 0, problems = $4,
      problem_count = $5
  where tenant_id = $1 and id = $2 and run_id = $3`);

/** Retried sooner than usual, with exponential backoff. */
export const failScan = statement<[tenantId: string, sourceId: string, runId: string, reason: string]>(`
  update estate_sources
  set run_id = null, running_until = null, failure = $4, failures = failures + 1,
      next_at = least(now() + least(30 * 2 ^ least(failures, 7), 3600) * interval '1 second', next_at)
  where tenant_id = $1 and id = $2 and run_id = $3`);

/** Releases a run that a shutdown stopped, so that any worker can start it again. */
export const releaseScan = statement<[tenantId: string, sourceId: string, runId: string]>(`
  update estate_sources set run_id = null, running_until = null, next_at = now()
  where tenant_id = $1 and id = $2 and run_id = $3`);

/** The connection was removed: ends all scans. */
export const endScans = statement<[tenantId: string, sourceId: string]>(`
  update estate_sources set run_id = null, running_until = null, next_at = null, last_seen = now(), failure = null
  where tenant_id = $1 and id = $2`);
