import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { forbidden } from '../platform/errors/general.error.js';
import type { Page, PageArgs } from '../platform/graphql/connection.js';
import { newestFirstPage } from '../platform/graphql/newest-first.js';
import type { Principal } from '../principal/principal.js';
import { TaskCancellationService } from './task-cancellation.service.js';
import { TaskContentService } from './task-content.service.js';
import { unfinishedTaskCounts } from './delegations.sql.js';
import { Task } from './task.entity.js';
import { unknownTask } from './task.error.js';
import { readableTasks, type TaskFilter } from './task-filter.js';
import { listTaskItems } from './task-items.sql.js';
import { listTaskStates } from './tasks.sql.js';
import { itemEntry, stateEntry, type TimelineEntry } from './timeline.js';
import { fromRow } from './transcript.js';

/** The tasks that a person may read, by their ids: their own and, with the permission "tasks:read", all others. */
@Injectable()
export class ReadableTasksService {
  constructor(
    private readonly database: DatabaseService,
    private readonly content: TaskContentService,
    private readonly cancellation: TaskCancellationService,
  ) {}

  /** Newest first. */
  list(principal: Principal, args: PageArgs, filter: TaskFilter): Promise<Page<Task>> {
    return this.database.tenant(principal, async (tx) => {
      const found = await newestFirstPage(readableTasks(tx, principal, filter), args);
      for (const task of found.nodes) this.content.openRow(task.id, task);
      return found;
    });
  }

  async get(principal: Principal, id: string): Promise<Task> {
    const task = await this.database.tenant(principal, (tx) =>
      readableTasks(tx, principal).andWhere('t.id = :id', { id }).getOne(),
    );
    if (!task) throw unknownTask(id);
    return this.content.openRow(id, task);
  }

  /**
   * How many unfinished tasks wait for each of these tasks: the task itself, and those that delegated it. Only the
   * number, also for people who cannot see the tasks.
   */
  async countUnfinished({ tenantId }: Principal, ids: readonly string[]): Promise<number[]> {
    return this.database.tenant({ tenantId }, async (tx) => {
      const rows = await tx.run(unfinishedTaskCounts, [tenantId, [...new Set(ids)]]);
      const counts = new Map(rows.map(({ taskId, count }) => [taskId, count]));
      return ids.map((id) => counts.get(id) ?? 0);
    });
  }

  /** Null for a task that does not exist or is not visible; in the order of the ids. */
  async findEach(principal: Principal, ids: readonly string[]): Promise<(Task | null)[]> {
    const found = await this.database.tenant(principal, (tx) =>
      readableTasks(tx, principal).andWhere('t.id = any (:ids)', { ids }).getMany(),
    );
    const byId = new Map(found.map((task) => [task.id, this.content.openRow(task.id, task)]));
    return ids.map((id) => byId.get(id) ?? null);
  }

  /** One timeline per task, in the order of the ids. */
  timelines(principal: Principal, taskIds: readonly string[]): Promise<TimelineEntry[][]> {
    return this.database.tenant(principal, async (tx) => {
      const { tenantId } = principal;
      const events = Map.groupBy(await tx.run(listTaskStates, [tenantId, taskIds]), ({ taskId }) => taskId);
      const items = Map.groupBy(await tx.run(listTaskItems, [tenantId, taskIds]), ({ taskId }) => taskId);
      return taskIds.map((id) => {
        // items come before the state of the same transaction that they led to
        const entries = [
          ...(items.get(id) ?? []).map((row) => itemEntry(row.at, fromRow(this.content.openItem(id, row)))),
          ...(events.get(id) ?? []).map(({ at, number, status }) =>
            stateEntry(at, number, this.content.openStatus(id, status)),
          ),
        ];
        return entries.sort((a, b) => a.at.getTime() - b.at.getTime());
      });
    });
  }

  async cancel(principal: Principal, id: string): Promise<Task> {
    const task = await this.get(principal, id);
    const isOwn = task.caller.kind === 'member' && task.caller.memberId === principal.memberId;
    if (!isOwn && !principal.permissions.has('configurations:manage'))
      throw forbidden('This needs the permission "configurations:manage".');
    await this.cancellation.cancel(principal, id, task.externalId);
    return this.get(principal, id);
  }
}
