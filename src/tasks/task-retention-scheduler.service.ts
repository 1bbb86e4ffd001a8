import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { sweepRemoteDelegations, sweepTasks } from './task-retention.system.sql.js';

const sweepEverySeconds = 3600;
const sweepBatchSize = 500;

/** Deletes tasks that have ended, or wait, for the retention time without any activity. */
@Injectable()
export class TaskRetentionScheduler implements OnModuleInit {
  constructor(
    private readonly queue: QueueService,
    private readonly database: DatabaseService,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.queue.every('tasks.retention', sweepEverySeconds, () => this.sweep());
  }

  private async sweep(): Promise<void> {
    const { retentionDays } = this.config.task;
    for (const remove of [sweepTasks, sweepRemoteDelegations])
      while ((await this.database.systemPool.execute(remove, [retentionDays, sweepBatchSize])) === sweepBatchSize);
  }
}
