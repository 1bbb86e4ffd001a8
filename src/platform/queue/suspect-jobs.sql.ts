import { statement } from '../database/statement.js';

const worker = { roles: ['cs_worker'] } as const;

/**
 * graphile-worker runs the jobs of a named queue one at a time in the whole cluster. This queue is for suspect jobs.
 */
const suspectLane = `(select id from graphile_worker._private_job_queues where queue_name = 'suspects')`;

export const openLane = statement(
  `
  insert into graphile_worker._private_job_queues (queue_name) values ('suspects') on conflict do nothing`,
  worker,
);

/**
 * Total losses are those since the job last ended. A job that ran in two of the pools counts once: if processes are lost
 * together, a job is probably not the cause.
 */
export const countLosses = statement<[lostPools: string[], maxConsecutiveLosses: number, maxTotalLosses: number]>(
  `
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
  on conflict (task, payload_digest, tenant_id) do update
  set losses = s.losses + 1, total_losses = s.total_losses + 1, lost_at = now(), key = coalesce(excluded.key, s.key),
      quarantined_at = case
        when s.losses + 1 >= $2 or s.total_losses + 1 >= $3 then coalesce(s.quarantined_at, now()) end`,
  worker,
);

const jobsOfSuspects = `t.identifier = s.task and j.task_id = t.id and j.payload::jsonb = s.payload and j.locked_at is null`;

export const isolateSuspects = statement(
  `
  update graphile_worker._private_jobs j set job_queue_id = ${suspectLane}
  from suspect_jobs s, graphile_worker._private_tasks t
  where ${jobsOfSuspects} and s.quarantined_at is null and s.losses > 0`,
  worker,
);

/** The row in suspect_jobs contains everything that is needed to add the job again. */
export const dropQuarantined = statement(
  `
  delete from graphile_worker._private_jobs j using suspect_jobs s, graphile_worker._private_tasks t
  where ${jobsOfSuspects} and s.quarantined_at is not null`,
  worker,
);

export const clearSuspicion = statement<[task: string, payload: string]>(
  `
  delete from suspect_jobs where task = $1 and payload = $2::jsonb and quarantined_at is null`,
  worker,
);

export const unlockLane = statement<[holder: string]>(
  `
  update graphile_worker._private_job_queues set locked_at = null, locked_by = null
  where queue_name = 'suspects' and locked_by = $1`,
  worker,
);

export const unlockLaneOf = statement<[pools: string[]]>(
  `
  update graphile_worker._private_job_queues set locked_at = null, locked_by = null
  where queue_name = 'suspects' and split_part(locked_by, ' ', 1) = any ($1::text[])`,
  worker,
);

/** The job's time in the lane has ended: it is not a suspect until the next loss. Work outside the queue has no job. */
export const leaveLane = statement<[task: string, payload: string, jobId: string | null, holder: string]>(
  `
  with suspect as (update suspect_jobs set losses = 0 where task = $1 and payload = $2::jsonb and quarantined_at is null),
       job as (update graphile_worker._private_jobs set job_queue_id = null where id = $3)
  update graphile_worker._private_job_queues set locked_at = null, locked_by = null
  where queue_name = 'suspects' and locked_by = $4`,
  worker,
);

/** Deletes suspects that never ran again because they were no longer needed. */
export const deleteExpiredSuspects = statement<[retentionDays: number]>(
  `
  delete from suspect_jobs where quarantined_at is null and lost_at < now() - $1 * interval '1 day'`,
  worker,
);

/**
 * Records work outside the queue before it runs. A suspect also takes the lane, with its pool, a space and the work as the
 * holder. Nothing is recorded for work that is quarantined or has to wait, so that it is not counted as lost.
 */
export const beginWork = statement<
  [pool: string, task: string, payload: string, holder: string],
  { isQuarantined: boolean; isSuspect: boolean; isRecorded: boolean }
>(
  `
  with suspect as materialized (
    select quarantined_at is not null as is_quarantined, losses > 0 as is_suspect
    from suspect_jobs where task = $2 and payload = $3::jsonb
  ), state as materialized (
    select coalesce(bool_or(is_quarantined), false) as is_quarantined, coalesce(bool_or(is_suspect), false) as is_suspect
    from suspect
  ), lane as (
    update graphile_worker._private_job_queues set locked_at = now(), locked_by = $4
    where queue_name = 'suspects' and locked_at is null and (select is_suspect and not is_quarantined from state)
    returning id
  ), work as (
    insert into work_in_hand (pool_id, task, payload)
    select $1, $2, $3::jsonb from state
    where not is_quarantined and (not is_suspect or exists (select from lane))
    on conflict (pool_id, task, payload) do update set pool_id = excluded.pool_id
    returning pool_id
  )
  select is_quarantined as "isQuarantined", is_suspect as "isSuspect", exists (select from work) as "isRecorded" from state`,
  { ...worker, neverNull: ['isQuarantined', 'isSuspect', 'isRecorded'] },
);

export const endWork = statement<[pool: string, task: string, payload: string]>(
  `
  delete from work_in_hand where pool_id = $1 and task = $2 and payload = $3::jsonb`,
  worker,
);

export const deleteWork = statement<[pools: string[]]>('delete from work_in_hand where pool_id = any ($1)', worker);

export const unlockJobs = statement<[pools: string[]], { force_unlock_workers: unknown }>(
  'select graphile_worker.force_unlock_workers($1)',
  worker,
);

export const notifyWorkers = statement<[], { pg_notify: unknown }>("select pg_notify('jobs:insert', '')", worker);
