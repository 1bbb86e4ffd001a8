import { statement, type StatementRunner } from '../platform/database/statement.js';
import type { StoredPrincipal } from '../principal/stored-principal.js';
import type { TaskStatus, WaitReason } from './task.entity.js';

/* The task table is the job queue of all tenants: `due_at` says when a task may be claimed next. */

export interface ClaimRow {
  tenant_id: string;
  task_id: string;
  configuration_id: string;
  principal: StoredPrincipal;
  trace: Record<string, string> | null;
  status: TaskStatus;
  waiting: WaitReason | null;
  number: number;
  /** The claim wrote a `working` event. */
  is_told: boolean;
  turns: number;
  is_tainted: boolean;
  lease_epoch: number;
  attempts: number;
  /** bigint: the driver returns a string. */
  worked_ms: string;
  /** Only for a task taken over: consecutive processes that died while they worked on its current step. */
  lost_processes?: number;
  /** Null: the configuration no longer exists. */
  configuration: RunConfiguration | null;
}
export interface RunConfiguration {
  isPaused: boolean;
  modelConnectionId: string | null;
}

const withConfiguration = (claimed: string) => `
  select c.*, g.configuration from ${claimed} c left join lateral (
    select json_build_object('isPaused', g.paused_at is not null, 'modelConnectionId', g.model_connection_id) as configuration
    from configurations g where g.tenant_id = c.tenant_id and g.id = c.configuration_id limit 1
  ) g on true`;

/** `status`: the `working` status of the claimed tasks. */
export const claimDue = statement<[limit: number, leaseSeconds: number, perKey: number, status: TaskStatus], ClaimRow>(
  withConfiguration('tasks_claim($1, $2, $3, $4)'),
  { name: 'tasks-claim' },
);

export const claimAbandonedTasks = statement<
  [limit: number, leaseSeconds: number, ownTaskIds: readonly string[], maxSuspects: number],
  ClaimRow
>(
  `
    with released as (
      select tenant_id, id from tasks
      where state = 'working' and waiting is null and due_at <= now() and not is_claimed and lost_processes = 0
      order by due_at limit $1 for update skip locked
    ), suspects as (
      select tenant_id, id from tasks
      where due_at <= now() and (state = 'working' and waiting is null and is_claimed or lost_processes > 0) and id <> all ($3)
      order by due_at limit $4 for update skip locked
    ), abandoned as (
      select * from released union all select * from suspects
    ), claimed as (
      update tasks t set
        lease_epoch = t.lease_epoch + 1,
        attempts = t.attempts + 1,
        due_at = now() + $2 * interval '1 second',
        -- the time without a worker does not count as work
        worked_ms = t.worked_ms + greatest(0, extract(epoch from t.due_at - t.working_since) * 1000)::bigint,
        working_since = now(),
        waiting = case when t.waiting in ('pause', 'time') then null else t.waiting end,
        is_claimed = true,
        lost_processes = t.lost_processes + t.is_claimed::int,
        updated_at = now()
      from abandoned a where t.tenant_id = a.tenant_id and t.id = a.id
      returning t.tenant_id, t.id as task_id, t.configuration_id, t.principal, t.trace, t.status, t.waiting, t.last_event as number, false as is_told,
                t.turns, t.is_tainted, t.lease_epoch, t.attempts, t.worked_ms, t.lost_processes
    )
    ${withConfiguration('claimed')}`,
  { name: 'tasks-claim-abandoned' },
);

export interface TakeoverOptions {
  limit: number;
  /** Maximum number of suspects to claim. A suspect is a task that may have crashed the process that worked on it. */
  suspects: number;
  /** Tasks that this process still works on: their renewals are late, but their leases are not lost. */
  own: readonly string[];
}
/**
 * Takes over the tasks of a dead or stalled process. A lease that was not released counts as a process lost to that
 * task.
 */
export const claimAbandoned = (
  runner: StatementRunner,
  { limit, suspects, own }: TakeoverOptions,
  leaseSeconds: number,
): Promise<ClaimRow[]> => runner.run(claimAbandonedTasks, [limit, leaseSeconds, own, suspects]);

export interface TaskLeaseKey {
  tenantId: string;
  id: string;
  leaseEpoch: number;
}
export const renewLeases = statement<
  [tenantIds: readonly string[], ids: readonly string[], epochs: readonly number[], seconds: number],
  { id: string }
>(
  `
    with held as ( -- same lock order as tasks_advance
      select t.tenant_id, t.id from unnest($1::uuid[], $2::uuid[], $3::int[]) as mine(tenant_id, id, epoch)
      join tasks t on t.tenant_id = mine.tenant_id and t.id = mine.id and t.lease_epoch = mine.epoch and t.due_at is not null
      order by t.id for no key update of t
    )
    update tasks t set due_at = now() + $4 * interval '1 second'
    from held where t.tenant_id = held.tenant_id and t.id = held.id
    returning t.id`,
  { name: 'tasks-renew' },
);

/** Returns the ids of the tasks whose leases this process still holds. */
export async function renewTaskLeases(
  runner: StatementRunner,
  leases: readonly TaskLeaseKey[],
  leaseSeconds: number,
): Promise<Set<string>> {
  const rows = await runner.run(renewLeases, [...toColumns(leases), leaseSeconds]);
  return new Set(rows.map((row) => row.id));
}

export const releaseLeases = statement<
  [tenantIds: readonly string[], ids: readonly string[], epochs: readonly number[]]
>(
  `
    with held as (
      select t.tenant_id, t.id from unnest($1::uuid[], $2::uuid[], $3::int[]) as mine(tenant_id, id, epoch)
      join tasks t on t.tenant_id = mine.tenant_id and t.id = mine.id and t.lease_epoch = mine.epoch
      order by t.id for no key update of t
    )
    update tasks t set is_claimed = false from held where t.tenant_id = held.tenant_id and t.id = held.id`,
  { name: 'tasks-release-leases' },
);

/** Releases the leases of a live process, so that the next claim does not count a lost process. */
export async function releaseTaskLeases(runner: StatementRunner, leases: readonly TaskLeaseKey[]): Promise<void> {
  await runner.execute(releaseLeases, toColumns(leases));
}

const toColumns = (leases: readonly TaskLeaseKey[]): [string[], string[], number[]] => [
  leases.map((lease) => lease.tenantId),
  leases.map((lease) => lease.id),
  leases.map((lease) => lease.leaseEpoch),
];
