import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { ownersOfTasks } from './task-owners.system.sql.js';

interface TaskKey {
  tenantId: string;
  id: string;
}

/** For whoever tells people of their own tasks, in several organizations at once. */
@Injectable()
export class TaskOwnersService {
  constructor(private readonly database: DatabaseService) {}

  /** The members who handed these over, by the id of the task. */
  async findMembers(tasks: readonly TaskKey[]): Promise<Map<string, string>> {
    if (!tasks.length) return new Map();
    const values = [tasks.map(({ tenantId }) => tenantId), tasks.map(({ id }) => id)];
    const { rows } = await this.database.systemPool.query<{ id: string; memberId: string }>({
      ...ownersOfTasks,
      values,
    });
    return new Map(rows.map(({ id, memberId }) => [id, memberId]));
  }
}
