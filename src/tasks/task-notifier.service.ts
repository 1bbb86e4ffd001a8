import { Injectable } from '@nestjs/common';
import { MetricsService } from '../platform/telemetry/metrics.service.js';
import type { Principal } from '../principal/principal.js';
import { ParentTaskNotifier } from './parent-task-notifier.service.js';
import { TaskFeedService, type TaskUpdate } from './task-feed.service.js';

/** Notifies the streams of a task, on all processes, and the task that delegated it of a committed change. */
@Injectable()
export class TaskNotifier {
  constructor(
    private readonly feed: TaskFeedService,
    private readonly parents: ParentTaskNotifier,
    private readonly metrics: MetricsService,
  ) {}

  notify(principal: Pick<Principal, 'tenantId' | 'chain'>, taskId: string, change: TaskUpdate): void {
    this.feed.publish(taskId, [change]);
    if (change.chunk) return;
    this.metrics.tasks.inc({ state: change.status.state });
    this.parents.notify(principal, taskId);
  }
}
