import { Injectable } from '@nestjs/common';
import { StaleLease } from '../gate/gate.error.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { withSpan, withTraceContext } from '../platform/telemetry/trace.js';
import { TaskExecutor } from './task-executor.service.js';
import { LeaseLost, type TaskLease } from './task-lease.js';
import { maxLostProcesses, TaskQuarantineService } from './task-quarantine.service.js';
import { TaskRetryService } from './task-retry.service.js';

/** One attempt at a claimed task: executes it, quarantines it, or schedules a retry after a failure. */
@Injectable()
export class TaskAttemptService {
  constructor(
    private readonly taskExecutor: TaskExecutor,
    private readonly quarantine: TaskQuarantineService,
    private readonly taskRetry: TaskRetryService,
    private readonly log: LogService,
  ) {}

  /** Never rejects because of the task. `lease-lost`: another process may have taken the task over. */
  async run(lease: TaskLease): Promise<'ended' | 'lease-lost'> {
    try {
      await this.execute(lease);
    } catch (error) {
      if (error instanceof LeaseLost || error instanceof StaleLease) {
        this.log.info({ taskId: lease.id }, 'task lease lost to another process');
        return 'lease-lost';
      }
      this.log.error({ err: error, taskId: lease.id, attempt: lease.attempts }, 'task run failed');
      await this.taskRetry
        .retry(lease)
        .catch((failure: unknown) =>
          this.log.warn({ err: failure, taskId: lease.id }, 'task could not be postponed; its lease expires'),
        );
    }
    return 'ended';
  }

  private async execute(lease: TaskLease): Promise<void> {
    if (lease.lostProcesses >= maxLostProcesses) return this.quarantine.add(lease);
    await withTraceContext(lease.trace, () =>
      withSpan('task.work', { 'task.id': lease.id, 'task.attempt': lease.attempts }, () =>
        this.taskExecutor.run(lease),
      ),
    );
  }
}
