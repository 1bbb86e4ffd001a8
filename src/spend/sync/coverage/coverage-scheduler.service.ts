import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseService } from '../../../platform/database/database.service.js';
import { QueueService } from '../../../platform/queue/queue.service.js';
import { SpendVendorRegistry } from '../../spend-vendor-registry.service.js';
import { dayCompleteAfterMs } from '../days.js';
import { closeDays, openDays } from './coverage.system.sql.js';

const everySeconds = 300;

/**
 * Keeps coverage rows up to date independently of syncs: each day gets a row as soon as it begins, and is closed once
 * the vendor no longer serves it.
 */
@Injectable()
export class CoverageScheduler implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly vendors: SpendVendorRegistry,
  ) {}

  onModuleInit(): void {
    this.queue.every('spend.days', everySeconds, () => this.updateCoverage());
  }

  updateCoverage(): Promise<void> {
    const kinds = this.vendors.kinds();
    const daysBack = kinds.map((kind) => this.vendors.get(kind).daysBack);
    return this.database.system('spend days', async (tx) => {
      await tx.execute(openDays, [kinds, daysBack]);
      await tx.execute(closeDays, [kinds, daysBack, dayCompleteAfterMs / 3_600_000]);
    });
  }
}
