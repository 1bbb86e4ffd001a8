import { statement } from '../../platform/database/statement.js';

/** Returns no row if another process is reading the roster. */
export const claimRoster = statement<
  [tenantId: string, connectionId: string, runId: string, connectionRevision: number, cadenceSeconds: number],
  { run_id: string }
>(
  `
  update source_rosters
  set run_id = $3, running_until = now() + interval '12 seconds', started_at = now(), next_at = now() + $5 * interval '1 second',
      connection_revision = $4, wait_reason = null
  where tenant_id = $1 and connection_id = $2 and (running_until is null or running_until < now())
  returning run_id`,
  { neverNull: ['run_id'] },
);

/** Updates no row if the run is superseded. */
export const renewRoster = statement<[tenantId: string, connectionId: string, runId: string]>(`
  update source_rosters set running_until = now() + interval '12 seconds'
  where tenant_id = $1 and connection_id = $2 and run_id = $3`);

/** Retries with exponential backoff: 30 s, 1 min, … 1 h, but not after `next_at`. */
export const failRoster = statement<
  [tenantId: string, connectionId: string, runId: string, reason: string],
  { failures: number }
>(`
  update source_rosters
  set run_id = null, running_until = null, failure = $4, failures = failures + 1,
      next_at = least(now() + least(30 * 2 ^ least(failures, 7), 3600) * interval '1 second', next_at)
  where tenant_id = $1 and connection_id = $2 and run_id = $3
  returning failures`);

/** The source asked to wait. The next read is at `until`. */
export const suspendRoster = statement<
  [tenantId: string, connectionId: string, runId: string, until: Date, reason: string]
>(`
  update source_rosters set run_id = null, running_until = null, wait_reason = $5, next_at = $4
  where tenant_id = $1 and connection_id = $2 and run_id = $3`);

export const releaseRoster = statement<[tenantId: string, connectionId: string, runId: string]>(`
  update source_rosters set run_id = null, running_until = null, next_at = now()
  where tenant_id = $1 and connection_id = $2 and run_id = $3`);

/** Makes a roster due now, unless its source asked to wait. */
export const makeRosterDue = statement<[tenantId: string, connectionId: string]>(`
  update source_rosters set next_at = now() where tenant_id = $1 and connection_id = $2 and wait_reason is null`);

/**
 * Makes a roster due after a webhook. Every profile change may send one, so the next read waits four times as long as
 * the last one took, but at most a minute. After a failure, the backoff applies.
 */
export const hastenRoster = statement<[tenantId: string, connectionId: string]>(`
  update source_rosters r
  set next_at = least(next_at, greatest(now(), last.at + least(4 * (last.at - started_at), interval '1 minute')))
  from (select case when run_id is null then complete_at else now() end as at
        from source_rosters where tenant_id = $1 and connection_id = $2) last
  where tenant_id = $1 and connection_id = $2 and wait_reason is null and failures = 0`);

type Owner = [tenantId: string, connectionId: string];
const deleteOf = (table: string) =>
  statement<Owner>(`delete from ${table} where tenant_id = $1 and connection_id = $2`);
export const deleteAccounts = deleteOf('source_accounts');
export const deleteGroups = deleteOf('source_groups');
export const deleteAudienceSets = deleteOf('source_audience_sets');
export const deleteAudiences = deleteOf('source_audiences');
export const deleteAssignments = deleteOf('source_account_assignments');
export const deleteRoster = deleteOf('source_rosters');
