import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { decodeCursor, encodeCursor } from '../platform/graphql/connection.js';
import type { Principal } from '../principal/principal.js';
import { ownerOf } from '../principal/owner.js';
import type { TaskState } from './task.entity.js';
import { countOwnTasks, listOwnTasks } from './own-tasks.sql.js';
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

/** A caller's own tasks, most recently changed first. */
@Injectable()
export class OwnTasksService {
  constructor(private readonly database: DatabaseService) {}

  list(principal: Principal, { limit, cursor, ...filter }: OwnTasksFilter): Promise<OwnTasksPage> {
    const { tenantId } = principal;
    const [at, id] = cursor === undefined ? [null, null] : decodeCursor(cursor, ['text', 'id']);
    const { contextId = null, state = null, needsCredentials = null, since = null } = filter;
    const params = [tenantId, ownerOf(principal), contextId, state, needsCredentials, since] as const;
    return this.database.tenant(principal, async (tx) => {
      const found = await tx.run(listOwnTasks, [...params, at, id, limit + 1]);
      const [{ count: totalCount }] = await tx.run(countOwnTasks, [...params]);
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      const isMore = found.length > limit && last;
      return {
        tasks: shown.map(({ task_id: taskId, context: contextId, ...task }) => ({ ...task, taskId, contextId })),
        nextCursor: isMore ? encodeCursor([last.status.timestamp, last.task_id]) : null,
        totalCount,
      };
    });
  }
}
