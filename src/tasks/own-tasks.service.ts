import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { decodeCursor, encodeCursor } from '../platform/graphql/connection.js';
import type { Principal } from '../principal/principal.js';
import { ownerOf } from './owner.js';
import type { TaskState } from './task.entity.js';
import type { FoundTaskRow } from './tasks.sql.js';
import type { TaskView } from './tasks.service.js';

export interface OwnTasksFilter {
  contextId?: string;
  state?: TaskState;
  /** Among tasks that wait for information: true selects those that wait for a credential, false the others. */
  needsCredentials?: boolean;
  /** RFC 3339. Selects tasks that changed at this time or later. */
  since?: string;
  limit: number;
  cursor?: string;
}
export interface OwnTasksPage {
  tasks: TaskView[];
  nextCursor: string | null;
  totalCount: number;
}

const waitsForCredentials = `coalesce(t.status -> 'metadata' ->> 'reason' = 'credentials', false)`;
/** $1 tenant, $2 owner, $3 context, $4 state, $5 needs credentials, $6 since. Null: no filter. */
const ownTasksClause = `
  from tasks t where t.tenant_id = $1 and t.owner_id::text = $2
    and ($3::text is null or coalesce(t.context_id, t.external_id) = $3)
    and ($4::text is null or t.state = $4)
    and ($5::boolean is null or ${waitsForCredentials} = $5)
    and ($6::text is null or t.status ->> 'timestamp' >= $6)`;
const countOwnTasks = `select count(*)::int as count ${ownTasksClause}`;
const listOwnTasks = `
  select t.external_id as id, t.id as task_id, t.status, t.artifacts, t.last_event as number, t.context_id as context
  ${ownTasksClause} and ($7::text is null or (t.status ->> 'timestamp', t.id) < ($7, $8::uuid))
  order by t.status ->> 'timestamp' desc, t.id desc limit $9`;

/** A caller's own tasks, most recently changed first. */
@Injectable()
export class OwnTasksService {
  constructor(private readonly database: DatabaseService) {}

  list(principal: Principal, { limit, cursor, ...filter }: OwnTasksFilter): Promise<OwnTasksPage> {
    const { tenantId } = principal;
    const [at, id] = cursor === undefined ? [null, null] : decodeCursor(cursor, ['text', 'id']);
    const { contextId = null, state = null, needsCredentials = null, since = null } = filter;
    const values = [tenantId, ownerOf(principal), contextId, state, needsCredentials, since];
    return this.database.tenant(principal, async (tx) => {
      const connection = await pipelineOf(tx);
      const found = await connection.query<FoundTaskRow & { id: string }>(listOwnTasks, [...values, at, id, limit + 1]);
      const { rows } = await connection.query<{ count: number }>(countOwnTasks, values);
      const shown = found.rows.slice(0, limit);
      const last = shown.at(-1);
      const isMore = found.rows.length > limit && last;
      return {
        tasks: shown.map(({ task_id: taskId, context: contextId, ...task }) => ({ ...task, taskId, contextId })),
        nextCursor: isMore ? encodeCursor([last.status.timestamp, last.task_id]) : null,
        totalCount: rows[0].count,
      };
    });
  }
}
