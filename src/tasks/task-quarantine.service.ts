import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { MetricsService } from '../platform/telemetry/metrics.service.js';
import { type Principal, systemPrincipal } from '../principal/principal.js';
import { quarantinedStatus, submittedStatus } from './task-status.js';
import { taskNotQuarantined } from './task.error.js';
import { Task } from './task.entity.js';
import { TaskNotifier } from './task-notifier.service.js';
import type { TaskLease } from './task-lease.js';
import { TaskRunRepository } from './task-run-repository.service.js';
import { releaseTask } from './tasks.sql.js';
import { ReadableTasksService } from './readable-tasks.service.js';
import { dueTopic } from './topics.js';

/** Consecutive processes that a step may crash before its task is quarantined. */
export const maxLostProcesses = 2;

/** Quarantines tasks whose current step has crashed two processes. They wait until an administrator retries them. */
@Injectable()
export class TaskQuarantineService {
  constructor(
    private readonly database: DatabaseService,
    private readonly taskRunRepository: TaskRunRepository,
    private readonly readableTasks: ReadableTasksService,
    private readonly taskNotifier: TaskNotifier,
    private readonly wakeupChannel: WakeupChannel,
    private readonly audit: AuditService,
    private readonly log: LogService,
    private readonly metrics: MetricsService,
  ) {}

  /** Throws LeaseLost if another process holds the task. */
  async add(lease: TaskLease): Promise<void> {
    const { tenantId, id, configurationId, lostProcesses } = lease;
    const status = quarantinedStatus();
    await this.database.tenant({ tenantId }, async (tx) => {
      const { externalId } = await tx.findOneByOrFail(Task, { tenantId, id });
      const { number } = await this.taskRunRepository.advanceIn(tx, lease, {
        items: [],
        step: 'wait',
        waiting: 'quarantine',
        status,
      });
      await this.audit.record(tx, systemPrincipal(tenantId, 'tasks'), {
        kind: 'task.quarantined',
        subject: { type: 'task', id, name: externalId },
        detail: { configurationId, lostProcesses },
      });
      tx.afterCommit(() => this.taskNotifier.notify(lease.principal, id, { number, status, artifacts: null }));
    });
    this.metrics.quarantined.inc({ kind: 'task' });
    this.log.error({ tenantId, taskId: id, configurationId, lostProcesses }, 'quarantined a task');
  }

  /** Retries the step, in at most two processes. */
  async retry(principal: Principal, id: string): Promise<Task> {
    const { externalId } = await this.readableTasks.get(principal, id);
    const { tenantId } = principal;
    const status = submittedStatus();
    await this.database.tenant(principal, async (tx) => {
      const released = await tx.one(releaseTask, [tenantId, id, status]);
      if (!released) throw taskNotQuarantined(`The task "${externalId}" is not quarantined.`);
      await this.audit.record(tx, principal, {
        kind: 'task.retried',
        subject: { type: 'task', id, name: externalId },
      });
      const { number, principal: by } = released;
      tx.afterCommit(() => {
        this.taskNotifier.notify({ tenantId, chain: by.chain }, id, { number, status, artifacts: null });
        this.wakeupChannel.publish(dueTopic, id);
      });
    });
    return this.readableTasks.get(principal, id);
  }
}
