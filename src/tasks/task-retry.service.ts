import { Injectable } from '@nestjs/common';
import { auditActorOf } from '../audit/audit.service.js';
import { abandonedStatus } from './task-status.js';
import { TaskNotifier } from './task-notifier.service.js';
import type { TaskLease } from './task-lease.js';
import { TaskRunRepository } from './task-run-repository.service.js';

/** Consecutive claims without progress, because a process died or of an internal error. */
const maxClaims = 20;
const maxDelaySeconds = 60;

/** Retries a task whose run failed with an internal error, and gives it up after many attempts. */
@Injectable()
export class TaskRetryService {
  constructor(
    private readonly taskRunRepository: TaskRunRepository,
    private readonly taskNotifier: TaskNotifier,
  ) {}

  /** Retries with exponential backoff. */
  async retry(lease: TaskLease): Promise<void> {
    if (lease.attempts >= maxClaims) return this.abandon(lease);
    const dueSeconds = Math.min(maxDelaySeconds, 2 ** (lease.attempts - 1));
    await this.taskRunRepository.advance(lease, { items: [], step: 'retry', dueSeconds });
  }

  private async abandon(lease: TaskLease): Promise<void> {
    const status = abandonedStatus();
    const actor = auditActorOf(lease.principal);
    const { number } = await this.taskRunRepository.advance(lease, { items: [], step: 'end', status, actor });
    this.taskNotifier.notify(lease.principal, lease.id, { number, status, artifacts: null });
  }
}
