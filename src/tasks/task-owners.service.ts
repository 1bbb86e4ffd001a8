import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { ownersOfTasks } from './task-owners.system.sql.js';

interface TaskKey {
  tenantId: string;
  id: string;
}

/** For notifications to people about their own tasks, across organizations. */
@Injectable()
export class TaskOwnersService {
  constructor(private readonly database: DatabaseService) {}

  /** The members who submitted these tasks, by task id. */
  async findMembers(tasks: readonly TaskKey[]): Promise<Map<string, string>> {
    if (!tasks.length) return new Map();
    const rows = await this.database.systemPool.run(ownersOfTasks, [
      tasks.map(({ tenantId }) => tenantId),
      tasks.map(({ id }) => id),
    ]);
    return new Map(rows.map(({ id, memberId }) => [id, memberId]));
  }
}
