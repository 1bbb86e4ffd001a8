import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AccessChangeNotifier } from '../access/independence/access-change-notifier.service.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { Approval } from './approval.entity.js';
import { ApprovalsService } from './approvals.service.js';

const reachabilityJob = 'approvals.reach';

/** After every change of accounts, memberships or credentials: voids approvals that have no eligible decider left. */
@Injectable()
export class ApprovalReachabilityScheduler implements OnModuleInit {
  constructor(
    private readonly changes: AccessChangeNotifier,
    private readonly queue: QueueService,
    private readonly approvals: ApprovalsService,
  ) {}

  onModuleInit(): void {
    this.queue.handle(reachabilityJob, ({ tenantId }) => this.approvals.voidUnreachable(String(tenantId)));
    this.changes.subscribe(async (tx, tenantId) => {
      if (await tx.existsBy(Approval, { tenantId, state: 'pending' }))
        await this.queue.add(tx, reachabilityJob, { tenantId }, { key: `${reachabilityJob}:${tenantId}` });
    });
  }
}
