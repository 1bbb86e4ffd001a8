import type { SelectQueryBuilder } from 'typeorm';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { Task, type TaskState } from './task.entity.js';

export interface TaskFilter {
  state?: TaskState | null;
  configurationId?: string | null;
  isQuarantined?: boolean | null;
}

/** All tasks with "tasks:read", else the tasks that the person submitted through any product. */
export function readableTasks(
  tx: Tx,
  { tenantId, memberId, permissions }: Principal,
  { state, configurationId, isQuarantined }: TaskFilter = {},
): SelectQueryBuilder<Task> {
  const query = tx.createQueryBuilder(Task, 't').where('t.tenantId = :tenantId', { tenantId });
  if (!permissions.has('tasks:read'))
    query.andWhere(`(t.caller ->> 'memberId') = :memberId`, { memberId: memberId ?? null });
  if (state) query.andWhere('t.state = :state', { state });
  if (configurationId) query.andWhere('t.configurationId = :configurationId', { configurationId });
  if (typeof isQuarantined === 'boolean')
    query.andWhere(`(t.waiting is not distinct from 'quarantine') = :isQuarantined`, { isQuarantined });
  return query;
}
