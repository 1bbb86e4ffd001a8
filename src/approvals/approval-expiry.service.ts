import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Database } from '../platform/database/database.service.js';
import { Queue } from '../platform/queue/queue.service.js';
import { ApprovalsService } from './approvals.service.js';
import { overdueApprovals } from './approvals.system.sql.js';

@Injectable()
export class ApprovalExpiry implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly queue: Queue,
    private readonly approvals: ApprovalsService,
  ) {}

  onModuleInit(): void {
    this.queue.every('approvals.expire', 5, () => this.sweep());
  }

  async sweep(): Promise<void> {
    const { rows } = await this.database.systemPool.query<{ tenantId: string; id: string }>(overdueApprovals);
    for (const { tenantId, id } of rows) await this.approvals.expire(tenantId, id);
  }
}
