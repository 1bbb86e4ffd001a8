import { Injectable } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { MetricsService } from '../platform/telemetry/metrics.service.js';
import {
  claimAbandoned,
  claimDue,
  releaseTaskLeases,
  renewTaskLeases,
  type ClaimRow,
  type TakeoverOptions,
} from './claims.system.sql.js';
import { TaskFeedService } from './task-feed.service.js';
import { TaskLease } from './task-lease.js';
import { workingStatus } from './task-status.js';

/** Claims tasks for this process, and holds their leases. */
@Injectable()
export class TaskClaimsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly config: Config,
    private readonly feed: TaskFeedService,
    private readonly metrics: MetricsService,
  ) {}

  async claimDue(limit: number): Promise<TaskLease[]> {
    const { workingTasks } = this.config.limits;
    const rows = await this.database.systemPool.run(claimDue, [
      limit,
      this.leaseSeconds,
      workingTasks,
      workingStatus(),
    ]);
    return this.leasesOf(rows);
  }

  /** Takes over the tasks of a dead or stalled process. */
  async claimAbandoned(options: TakeoverOptions): Promise<TaskLease[]> {
    return this.leasesOf(await claimAbandoned(this.database.systemPool, options, this.leaseSeconds));
  }

  /** Returns the ids of the tasks whose leases this process still holds. */
  renew(leases: readonly TaskLease[]): Promise<Set<string>> {
    return renewTaskLeases(this.database.systemPool, leases, this.leaseSeconds);
  }

  release(leases: readonly TaskLease[]): Promise<void> {
    return releaseTaskLeases(this.database.systemPool, leases);
  }

  get leaseSeconds(): number {
    return this.config.task.leaseSeconds;
  }

  private leasesOf(rows: readonly ClaimRow[]): TaskLease[] {
    for (const row of rows) if (row.is_told) this.publish(row);
    return rows.map((row) => new TaskLease(row, this.leaseSeconds));
  }

  private publish({ task_id: taskId, number, status }: ClaimRow): void {
    this.metrics.tasks.inc({ state: status.state });
    this.feed.publish(taskId, [{ number, status, artifacts: null }]);
  }
}
