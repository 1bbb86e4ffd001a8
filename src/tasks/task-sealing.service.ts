import { type BeforeApplicationShutdown, Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { type SealingPart, sealingParts, sealNext } from './sealing.system.sql.js';
import { TaskContentService } from './task-content.service.js';

const sealingIntervalSeconds = 5;
const sealingBatchSize = 500;
const batchesPerTick = 100;

/**
 * Seals rows of versions that stored task content in clear. Each batch and its progress are one transaction: a killed
 * process loses nothing, and the next one continues after the last commit.
 */
@Injectable()
export class TaskSealingService implements OnModuleInit, BeforeApplicationShutdown {
  private readonly remaining = new Set<SealingPart>(sealingParts);
  private isStopped = false;

  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly content: TaskContentService,
    private readonly log: LogService,
  ) {}

  onModuleInit(): void {
    this.queue.every('tasks.sealing', sealingIntervalSeconds, () => this.sealRemaining());
  }

  beforeApplicationShutdown(): void {
    this.isStopped = true;
  }

  async sealRemaining(): Promise<void> {
    for (const part of this.remaining) {
      for (let count = 0; count < batchesPerTick && !this.isStopped; count += 1) {
        const step = await this.database.system('seal stored tasks', (tx) =>
          sealNext(tx, part, this.content, sealingBatchSize),
        );
        if (step === 'more') continue;
        if (step === 'finished') this.log.info({ part }, 'all stored rows sealed');
        if (step !== 'busy') this.remaining.delete(part);
        break;
      }
    }
  }
}
