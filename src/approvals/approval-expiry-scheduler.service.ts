import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { ApprovalsService } from './approvals.service.js';
import { overdueApprovals } from './approvals.system.sql.js';

/** Expires approvals that no one decided in time. */
@Injectable()
export class ApprovalExpiryScheduler implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly approvals: ApprovalsService,
  ) {}

  onModuleInit(): void {
    this.queue.every('approvals.expire', 5, () => this.sweep());
  }

  async sweep(): Promise<void> {
    const overdue = await this.database.systemPool.run(overdueApprovals);
    for (const { tenantId, id } of overdue) await this.approvals.expire(tenantId, id);
  }
}
