import { Injectable } from '@nestjs/common';
import { UsableConfigurationsService } from '../configurations/usable-configurations.service.js';
import { newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { decodeCursor, encodeCursor } from '../platform/graphql/connection.js';
import type { Principal } from '../principal/principal.js';
import { ownerOf } from '../principal/owner.js';
import type { SentPart } from './messages.port.js';
import { taskExists, taskNotFound } from './task.error.js';
import { Task, type TaskState } from './task.entity.js';
import { TaskContentService } from './task-content.service.js';
import { isTaskId, type Submission, TasksService } from './tasks.service.js';

export interface MemberMessage {
  /** The person's own id for the task; generated if absent. */
  id?: string;
  /** If absent: the configuration of the task that the message continues, else the only one the person may use. */
  configurationId?: string;
  parts: SentPart[];
}

/** Tasks of a person. An agent's key belongs to one configuration; a person chooses one that their groups may use. */
@Injectable()
export class MemberTasksService {
  constructor(
    private readonly database: DatabaseService,
    private readonly configurations: UsableConfigurationsService,
    private readonly tasks: TasksService,
    private readonly content: TaskContentService,
  ) {}

  async submit(
    principal: Principal,
    { id = newId(), configurationId, parts }: MemberMessage,
  ): Promise<{ task: Task; outcome: Submission['outcome'] }> {
    const known = await this.find(principal, id);
    if (known && configurationId !== undefined && known.configurationId !== configurationId)
      throw taskExists(`The task "${id}" was sent to another configuration.`, {
        errors: [{ pointer: '/configuration', detail: 'is not the configuration of this task' }],
      });
    const configuration = await this.configurations.resolve(principal, known?.configurationId ?? configurationId);
    const { outcome } = await this.tasks.submit(principal, {
      externalId: id,
      configurationId: configuration.id,
      parts,
    });
    return { task: await this.get(principal, id), outcome };
  }

  async get(principal: Principal, id: string): Promise<Task> {
    const task = await this.find(principal, id);
    if (!task) throw taskNotFound('You have no task with this id.');
    return task;
  }

  /** Newest first. */
  list(
    principal: Principal,
    {
      state,
      configurationId,
      limit,
      cursor,
    }: { state?: TaskState; configurationId?: string; limit: number; cursor?: string },
  ): Promise<{ tasks: Task[]; nextCursor: string | null }> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const query = tx
        .createQueryBuilder(Task, 't')
        .where('t.tenantId = :tenantId and cast(t.ownerId as text) = :owner', { tenantId, owner: ownerOf(principal) });
      if (state) query.andWhere('t.state = :state', { state });
      if (configurationId) query.andWhere('t.configurationId = :configurationId', { configurationId });
      if (cursor) query.andWhere('t.id < :after', { after: decodeCursor(cursor, ['id'])[0] });
      const rows = await query
        .orderBy('t.id', 'DESC')
        .take(limit + 1)
        .getMany();
      const tasks = rows.slice(0, limit).map((task) => this.content.openRow(task.id, task));
      return { tasks, nextCursor: rows.length > limit ? encodeCursor([tasks[limit - 1].id]) : null };
    });
  }

  /** Idempotent: canceling a canceled task is not an error. */
  async cancel(principal: Principal, id: string): Promise<Task> {
    const { state } = await this.get(principal, id);
    if (state !== 'canceled') await this.tasks.cancel(principal, id);
    return this.get(principal, id);
  }

  private async find(principal: Principal, externalId: string): Promise<Task | null> {
    if (!isTaskId(externalId)) return null;
    const { tenantId } = principal;
    const task = await this.database.tenant(principal, (tx) =>
      tx.findOneBy(Task, { tenantId, ownerId: ownerOf(principal), externalId }),
    );
    return task && this.content.openRow(task.id, task);
  }
}
