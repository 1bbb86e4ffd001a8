/*
 * A job belongs to an organization or, without a tenant, to the installation. Changes run in a transaction of its
 * owner.
 */

export const quarantinedJobColumns = `
  id, task, payload ->> 'connectionId' as "connectionId", payload ->> 'sourceId' as "sourceId", total_losses as "lostProcesses",
  quarantined_at as "quarantinedAt"`;

/** Quarantined jobs of every organization, and of the installation itself. */
export const allQuarantinedJobs = `
  select j.id, j.tenant_id as "tenantId", t.name as "organization", j.task, j.payload, j.key, j.total_losses as "lostProcesses",
         j.lost_at as "lostAt", j.quarantined_at as "quarantinedAt", j.reported_at as "reportedAt"
  from suspect_jobs j left join tenants t on t.id = j.tenant_id
  where j.quarantined_at is not null order by j.quarantined_at desc, j.id`;

export const unreportedJobs = `
  select j.id, j.tenant_id as "tenantId" from suspect_jobs j where j.quarantined_at is not null and j.reported_at is null`;

/** $1 tenant or null, $2 id. Returns no row to a second process. */
export const markReported = `
  update suspect_jobs set reported_at = now()
  where tenant_id is not distinct from $1 and id = $2 and quarantined_at is not null and reported_at is null
  returning ${quarantinedJobColumns}`;

/**
 * $1 tenant or null, $2 id. The job stays a suspect: it runs while no other suspect does, and one more loss quarantines
 * it again. Work outside the queue starts again on its own schedule.
 */
export const releaseJob = `
  with job as (
    update suspect_jobs set quarantined_at = null, reported_at = null, losses = 1, total_losses = 1
    where tenant_id is not distinct from $1 and id = $2 and quarantined_at is not null
    returning ${quarantinedJobColumns}, payload, key, max_attempts)
  select * from job`;

/** $1 task, $2 payload, $3 key, $4 attempts */
export const enqueueAgain = 'select cs_enqueue($1, $2, $3, null, $4)';
