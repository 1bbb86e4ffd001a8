import { Injectable } from '@nestjs/common';
import type { TranscriptItem } from '../agent/agent-model.port.js';
import { RateLimitsService } from '../limits/rate-limits.service.js';
import { Config } from '../platform/config/config.js';
import type { TaskLease } from './task-lease.js';
import { failedStatus } from './task-status.js';
import type { TaskStatus } from './task.entity.js';
import { callCounts } from './transcript.js';

const maxTurns = 40;

/** How much a task may do: its time of work, its turns, and its calls. */
@Injectable()
export class TaskLimitsService {
  constructor(
    private readonly config: Config,
    private readonly limits: RateLimitsService,
  ) {}

  remainingMs(lease: TaskLease): number {
    return this.config.task.workSeconds * 1000 - lease.workedMs();
  }

  /** The failure of a task that may do no more work, or null. */
  findExceededWorkLimit(lease: TaskLease): TaskStatus | null {
    if (this.remainingMs(lease) <= 0) {
      return failedStatus(
        'task-timeout',
        `The task did not end within ${this.config.task.workSeconds} seconds of work. Waiting time does not count.`,
      );
    }
    if (lease.turns >= maxTurns)
      return failedStatus('task-timeout', `The task did not end within ${maxTurns} turns of the model.`);
    return null;
  }

  /** The failure of a task whose turn requests too many calls, or null. None of these calls is made. */
  findExceededCallLimit(transcript: TranscriptItem[], requested: number): TaskStatus | null {
    if (!requested) return null;
    const { callsPerMessage, callsPerTask } = this.config.limits;
    const { ofMessage, ofTask } = callCounts(transcript);
    const [made, limit, what] =
      ofMessage + requested > callsPerMessage
        ? [ofMessage, callsPerMessage, 'One message may lead to']
        : [ofTask, callsPerTask, 'One task may make'];
    if (made + requested <= limit) return null;
    return failedStatus(
      'too-many-calls',
      `${what} ${limit} calls. ${made} were made, and the agent requested ${requested} more; none of these was made.`,
    );
  }

  /** Counts the calls. If the key has reached its limit of calls per minute, says until when the task waits, and why. */
  consumeCalls(lease: TaskLease, calls: number): { dueSeconds: number; message: string } | null {
    const dueSeconds = this.limits.consumeCalls(lease.principal, calls);
    if (dueSeconds === null) return null;
    const message = `The caller's tasks have reached the limit of ${this.config.limits.callsPerMinute} calls per minute. The task continues in the next minute.`;
    return { dueSeconds, message };
  }
}
