import { statement } from '../platform/database/statement.js';

/** Returns no row if another process runs the sync. */
export const claimRun = statement<
  [tenantId: string, connectionId: string, runId: string, connectionRevision: number, cadenceSeconds: number],
  { run_id: string }
>(
  `
  update sources
  set run_id = $3, running_until = now() + interval '12 seconds', started_at = now(), next_at = now() + $5 * interval '1 second',
      connection_revision = $4, seen = 0, changed = 0, removed = 0, problem_count = 0, problems = '[]'
  where tenant_id = $1 and connection_id = $2 and (running_until is null or running_until < now())
  returning run_id`,
  { neverNull: ['run_id'] },
);

/** Updates no row if the run is superseded and must not write any more. */
export const renewRun = statement<
  [tenantId: string, connectionId: string, runId: string, seen: number, changed: number, removed: number]
>(`
  update sources
  set running_until = now() + interval '12 seconds', seen = $4, changed = $5, removed = $6
  where tenant_id = $1 and connection_id = $2 and run_id = $3`);

export const completeRun = statement<
  [tenantId: string, connectionId: string, runId: string, problems: string, problemCount: number]
>(`
  update sources
  set run_id = null, running_until = null, finished_at = now(), complete_at = now(), failure = null, failures = 0, problems = $4, problem_count = $5
  where tenant_id = $1 and connection_id = $2 and run_id = $3`);

/** Retries with exponential backoff: 30 s, 1 min, … 1 h, but not after `next_at`. */
export const failRun = statement<
  [tenantId: string, connectionId: string, runId: string, reason: string, problems: string, problemCount: number],
  { failures: number }
>(`
  update sources
  set run_id = null, running_until = null, finished_at = now(), failure = $4, failures = failures + 1, problems = $5, problem_count = $6,
      next_at = least(now() + least(30 * 2 ^ least(failures, 7), 3600) * interval '1 second', next_at)
  where tenant_id = $1 and connection_id = $2 and run_id = $3
  returning failures`);

/** Releases a run that stopped because this process shuts down. Any worker can start the next one. */
export const releaseRun = statement<[tenantId: string, connectionId: string, runId: string]>(`
  update sources set run_id = null, running_until = null, next_at = now()
  where tenant_id = $1 and connection_id = $2 and run_id = $3`);

/** Defers a paused source by a day. Resuming or removing its connection makes it due earlier. */
export const deferPausedSource = statement<[tenantId: string, connectionId: string]>(`
  update sources set next_at = now() + interval '1 day'
  where tenant_id = $1 and connection_id = $2 and running_until is null`);

/** Makes an existing source due now. */
export const makeSourceDue = statement<[tenantId: string, connectionId: string]>(
  'update sources set next_at = now() where tenant_id = $1 and connection_id = $2',
);

/** Makes a source due now, or registers it if it is new. */
export const upsertDueSource = statement<[tenantId: string, connectionId: string]>(`
  insert into sources (tenant_id, connection_id, next_at) values ($1, $2, now())
  on conflict (tenant_id, connection_id) do update set next_at = now()`);

interface StoredFingerprint {
  external_id: string;
  fingerprint: string;
}
const storedDocuments = 'select external_id, fingerprint from documents where tenant_id = $1 and connection_id = $2';

/** Names and fingerprints of all documents of a connection. */
export const listStoredDocuments = statement<[tenantId: string, connectionId: string], StoredFingerprint>(
  storedDocuments,
);
export const listSomeStoredDocuments = statement<
  [tenantId: string, connectionId: string, limit: number],
  StoredFingerprint
>(`${storedDocuments} limit $3`);
