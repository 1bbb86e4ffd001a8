import { statement } from '../platform/database/statement.js';
import type { QuarantinedJob } from './quarantined-job.js';

/** Jobs of an organization and jobs without one. */
const ofBoth = ['cs_app', 'cs_system'] as const;

/*
 * A job belongs to an organization or, without a tenant, to the installation. Changes run in a transaction of its
 * owner.
 */

export const quarantinedJobColumns = `
  id, task, payload ->> 'connectionId' as "connectionId", payload ->> 'sourceId' as "sourceId", total_losses as "lostProcesses",
  quarantined_at as "quarantinedAt"`;

/** A quarantined job as operator commands show it. */
export interface OperatorQuarantinedJob {
  id: string;
  /** Null: the job belongs to the installation. */
  tenantId: string | null;
  organization: string | null;
  task: string;
  payload: Record<string, unknown>;
  key: string | null;
  lostProcesses: number;
  quarantinedAt: Date;
}
/** Quarantined jobs of every organization, and of the installation itself. */
export const allQuarantinedJobs = statement<[], OperatorQuarantinedJob>(
  `
  select j.id, j.tenant_id as "tenantId", t.name as "organization", j.task, j.payload, j.key, j.total_losses as "lostProcesses",
         j.quarantined_at as "quarantinedAt"
  from suspect_jobs j left join tenants t on t.id = j.tenant_id
  where j.quarantined_at is not null order by j.quarantined_at desc, j.id`,
  { neverNull: ['quarantinedAt'] },
);

export const unreportedJobs = statement<[], { id: string; tenantId: string | null }>(`
  select j.id, j.tenant_id as "tenantId" from suspect_jobs j where j.quarantined_at is not null and j.reported_at is null`);

/** Returns no row to a second process. */
export const markReported = statement<[tenantId: string | null, id: string], QuarantinedJob>(
  `
  update suspect_jobs set reported_at = now()
  where tenant_id is not distinct from $1 and id = $2 and quarantined_at is not null and reported_at is null
  returning ${quarantinedJobColumns}`,
  { roles: ofBoth, neverNull: ['quarantinedAt'] },
);

export interface ReleasedJob extends QuarantinedJob {
  payload: object;
  key: string | null;
  /** Null: the work is not in the queue. */
  max_attempts: number | null;
}
/**
 * The job stays a suspect: it runs while no other suspect does, and one more loss quarantines it again. Work outside the
 * queue starts again on its own schedule.
 */
export const releaseJob = statement<[tenantId: string | null, id: string], ReleasedJob>(
  `
  update suspect_jobs s set quarantined_at = null, reported_at = null, losses = 1, total_losses = 1
  from (
    select ${quarantinedJobColumns}, tenant_id, payload, key, max_attempts from suspect_jobs
    where tenant_id is not distinct from $1 and id = $2 and quarantined_at is not null for update
  ) job
  where s.tenant_id is not distinct from job.tenant_id and s.id = job.id
  returning job.id, job.task, job."connectionId", job."sourceId", s.total_losses as "lostProcesses", job."quarantinedAt",
            job.payload, job.key, job.max_attempts`,
  { roles: ofBoth, neverNull: ['quarantinedAt'] },
);

export const enqueueAgain = statement<
  [task: string, payload: string, key: string | null, maxAttempts: number],
  { cs_enqueue: unknown }
>('select cs_enqueue($1, $2, $3, null, $4)', { roles: ofBoth });
