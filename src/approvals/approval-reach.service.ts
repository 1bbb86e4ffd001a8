import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccessChanges } from '../access/independence/access-changes.service.js';
import { Queue } from '../platform/queue/queue.service.js';
import { Approval } from './approval.entity.js';
import { ApprovalsService } from './approvals.service.js';

const reachJob = 'approvals.reach';

/** After every change of who may act as whom: ends the calls that nobody is left to decide. */
@Injectable()
export class ApprovalReach implements OnModuleInit {
  constructor(
    private readonly changes: AccessChanges,
    private readonly queue: Queue,
    private readonly approvals: ApprovalsService,
  ) {}

  onModuleInit(): void {
    this.queue.handle(reachJob, ({ tenantId }) => this.approvals.voidUnreachable(String(tenantId)));
    this.changes.on(async (tx, tenantId) => {
      if (await tx.existsBy(Approval, { tenantId, state: 'pending' }))
        await this.queue.add(tx, reachJob, { tenantId }, { key: `${reachJob}:${tenantId}` });
    });
  }
}
