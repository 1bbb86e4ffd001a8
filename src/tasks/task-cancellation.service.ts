import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { GateService } from '../gate/gate.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { listOpenChildren } from './delegations.sql.js';
import { TaskNotifier } from './task-notifier.service.js';
import { canceledStatus } from './task-status.js';
import { Task, type TaskStatus } from './task.entity.js';
import { taskNotCancelable } from './task.error.js';
import { cancelTask } from './tasks.sql.js';

interface CanceledTask {
  status: TaskStatus;
  number: number;
}

/** Cancels open tasks, together with the tasks that they delegated and the approvals that they wait for. */
@Injectable()
export class TaskCancellationService {
  constructor(
    private readonly database: DatabaseService,
    private readonly gate: GateService,
    private readonly audit: AuditService,
    private readonly taskNotifier: TaskNotifier,
  ) {}

  /** Throws if the task has already ended. */
  async cancel(principal: Principal, taskId: string, externalId: string): Promise<CanceledTask> {
    return this.database.tenant(principal, async (tx) => {
      const canceledTask = await this.cancelIn(tx, principal, taskId);
      if (canceledTask) return canceledTask;
      const task = await tx.findOneByOrFail(Task, { tenantId: principal.tenantId, id: taskId });
      throw taskNotCancelable(`The task "${externalId}" is ${task.state}.`);
    });
  }

  /** For cancellations that no person requested. */
  async cancelIfOpen(principal: Principal, taskId: string): Promise<void> {
    await this.database.tenant(principal, (tx) => this.cancelIn(tx, principal, taskId));
  }

  /** Cancels the task and the tasks delegated for it. Null: it has already ended. */
  private async cancelIn(tx: Tx, principal: Principal, taskId: string): Promise<CanceledTask | null> {
    const { tenantId } = principal;
    const status = canceledStatus();
    const row = await tx.one(cancelTask, [tenantId, taskId, status]);
    if (!row) return null;
    const { number, external_id: name, principal: by } = row;
    await this.gate.withdraw(tx, { tenantId, taskId }, 'the task was canceled');
    await this.audit.record(tx, principal, { kind: 'task.canceled', subject: { type: 'task', id: taskId, name } });
    for (const child of await tx.run(listOpenChildren, [tenantId, taskId]))
      await this.cancelIn(tx, principal, child.id);
    tx.afterCommit(() =>
      this.taskNotifier.notify({ tenantId, chain: by.chain }, taskId, { number, status, artifacts: null }),
    );
    return { status, number };
  }
}
