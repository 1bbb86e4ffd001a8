/**
 * graphile-worker runs the jobs of a named queue one at a time in the whole cluster. This queue is for suspect jobs.
 */
const suspectLane = `(select id from graphile_worker._private_job_queues where queue_name = 'suspects')`;

export const openLane = `
  insert into graphile_worker._private_job_queues (queue_name) values ('suspects') on conflict do nothing`;

/**
 * $1 pools of crashed processes, $2 limit of consecutive losses, $3 limit of losses since the job last ended. A job
 * that ran in two of the pools counts once: if processes are lost together, a job is probably not the cause.
 */
export const countLosses = `
  insert into suspect_jobs as s (tenant_id, task, payload, key, max_attempts, losses, total_losses, lost_at)
  select distinct on (task, payload) (payload ->> 'tenantId')::uuid, task, payload, key, max_attempts, 1, 1, now()
  from (
    select t.identifier as task, j.payload::jsonb as payload, j.key, j.max_attempts
    from graphile_worker._private_jobs j join graphile_worker._private_tasks t on t.id = j.task_id
    where j.locked_by = any ($1::text[])
    union all
    select task, payload, null, null from work_in_hand where pool_id = any ($1::text[])
  ) lost
  order by task, payload, key
  on conflict (task, payload, tenant_id) do update
  set losses = s.losses + 1, total_losses = s.total_losses + 1, lost_at = now(), key = coalesce(excluded.key, s.key),
      quarantined_at = case
        when s.losses + 1 >= $2 or s.total_losses + 1 >= $3 then coalesce(s.quarantined_at, now()) end`;

const jobsOfSuspects = `t.identifier = s.task and j.task_id = t.id and j.payload::jsonb = s.payload and j.locked_at is null`;

export const isolateSuspects = `
  update graphile_worker._private_jobs j set job_queue_id = ${suspectLane}
  from suspect_jobs s, graphile_worker._private_tasks t
  where ${jobsOfSuspects} and s.quarantined_at is null and s.losses > 0`;

/** The row in suspect_jobs contains everything that is needed to add the job again. */
export const dropQuarantined = `
  delete from graphile_worker._private_jobs j using suspect_jobs s, graphile_worker._private_tasks t
  where ${jobsOfSuspects} and s.quarantined_at is not null`;

/** $1 task, $2 payload */
export const clearSuspicion = `
  delete from suspect_jobs where task = $1 and payload = $2::jsonb and quarantined_at is null`;

/** For work outside the queue. $1 holder: the pool, a space, and the work */
export const enterLane = `
  update graphile_worker._private_job_queues set locked_at = now(), locked_by = $1
  where queue_name = 'suspects' and locked_at is null`;

/** $1 holder */
export const unlockLane = `
  update graphile_worker._private_job_queues set locked_at = null, locked_by = null
  where queue_name = 'suspects' and locked_by = $1`;

/** $1 pools */
export const unlockLaneOf = `
  update graphile_worker._private_job_queues set locked_at = null, locked_by = null
  where queue_name = 'suspects' and split_part(locked_by, ' ', 1) = any ($1::text[])`;

/**
 * $1 task, $2 payload, $3 job if it is in the queue, $4 holder. The job's time in the lane has ended: it is not a
 * suspect until the next loss.
 */
export const leaveLane = `
  with suspect as (update suspect_jobs set losses = 0 where task = $1 and payload = $2::jsonb and quarantined_at is null),
       job as (update graphile_worker._private_jobs set job_queue_id = null where id = $3)
  update graphile_worker._private_job_queues set locked_at = null, locked_by = null
  where queue_name = 'suspects' and locked_by = $4`;

/** $1 days. Deletes suspects that never ran again because they were no longer needed. */
export const deleteExpiredSuspects = `
  delete from suspect_jobs where quarantined_at is null and lost_at < now() - $1 * interval '1 day'`;

/** $1 pool, $2 task, $3 payload. Returns no row if the work is quarantined. */
export const beginWork = `
  insert into work_in_hand (pool_id, task, payload)
  select $1, $2, $3::jsonb
  where not exists (
    select from suspect_jobs where task = $2 and payload = $3::jsonb and quarantined_at is not null)
  on conflict (pool_id, task, payload) do update set pool_id = excluded.pool_id
  returning exists (select from suspect_jobs where task = $2 and payload = $3::jsonb and losses > 0) as "isSuspect"`;

/** $1 pool, $2 task, $3 payload */
export const endWork = `
  delete from work_in_hand where pool_id = $1 and task = $2 and payload = $3::jsonb`;
