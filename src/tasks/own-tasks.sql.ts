import { statement } from '../platform/database/statement.js';
import type { TaskState } from './task.entity.js';
import type { FoundTaskRow } from './tasks.sql.js';

type OwnTasksFilter = [
  tenantId: string,
  ownerId: string,
  contextId: string | null,
  state: TaskState | null,
  needsCredentials: boolean | null,
  since: string | null,
];
const waitsForCredentials = `coalesce(t.status -> 'metadata' ->> 'reason' = 'credentials', false)`;
/** Null: no filter. */
const ownTasksClause = `
  from tasks t where t.tenant_id = $1 and t.owner_id::text = $2
    and ($3::text is null or coalesce(t.context_id, t.external_id) = $3)
    and ($4::text is null or t.state = $4)
    and ($5::boolean is null or ${waitsForCredentials} = $5)
    and ($6::text is null or t.status ->> 'timestamp' >= $6)`;

export const countOwnTasks = statement<OwnTasksFilter, { count: number }>(
  `select count(*)::int as count ${ownTasksClause}`,
);
/** Most recently changed first. `beforeTime` and `beforeId`: the last task of the previous page. */
export const listOwnTasks = statement<
  [...filter: OwnTasksFilter, beforeTime: string | null, beforeId: string | null, limit: number],
  FoundTaskRow & { id: string }
>(`
  select t.external_id as id, t.id as task_id, t.status, t.artifacts, t.last_event as number, t.context_id as context
  ${ownTasksClause} and ($7::text is null or (t.status ->> 'timestamp', t.id) < ($7, $8::uuid))
  order by t.status ->> 'timestamp' desc, t.id desc limit $9`);
