import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { ApprovalsService } from './approvals.service.js';
import { approvalsToEscalate } from './approvals.system.sql.js';

/** Adds the escalation group of a step when no one has decided in time. */
@Injectable()
export class ApprovalEscalationScheduler implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly approvals: ApprovalsService,
  ) {}

  onModuleInit(): void {
    this.queue.every('approvals.escalate', 5, () => this.sweep());
  }

  async sweep(): Promise<void> {
    const due = await this.database.systemPool.run(approvalsToEscalate);
    for (const { tenantId, id } of due) await this.approvals.escalate(tenantId, id);
  }
}
