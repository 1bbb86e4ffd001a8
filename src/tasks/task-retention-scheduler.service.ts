import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Config } from '../platform/config/config.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { sweepRemoteDelegations, sweepTasks } from './claims.system.sql.js';

const sweepEverySeconds = 3600;
const sweepBatch = 500;

/** Deletes ended tasks after the retention time. */
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
      while ((await this.database.systemPool.execute(remove, [retentionDays, sweepBatch])) === sweepBatch);
  }
}
