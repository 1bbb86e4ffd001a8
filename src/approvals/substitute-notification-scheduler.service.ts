import { Injectable, type OnModuleInit } from '@nestjs/common';
import { In, MoreThan } from 'typeorm';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { OutboxService } from '../platform/events/outbox.service.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { Approval } from './approval.entity.js';
import { Substitution } from './substitution.entity.js';

export const substitutionStarted = 'approval.substitution-started';
const job = 'approvals.substitution-start';

/** Notifies substitutes whose substitution begins while an approval is open. The others are notified when it opens. */
@Injectable()
export class SubstituteNotificationScheduler implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly outbox: OutboxService,
  ) {}

  onModuleInit(): void {
    this.queue.handle(job, ({ tenantId, approvalId, substitutionId }) =>
      this.publish(String(tenantId), String(approvalId), String(substitutionId)),
    );
  }

  async schedule(tx: Tx, { tenantId, id, substitutionIds, createdAt }: Approval): Promise<void> {
    if (!substitutionIds.length) return;
    const later = { tenantId, id: In(substitutionIds), startsAt: MoreThan(createdAt) };
    for (const { id: substitutionId, startsAt } of await tx.findBy(Substitution, later))
      await this.queue.add(tx, job, { tenantId, approvalId: id, substitutionId }, { runAt: startsAt });
  }

  async publish(tenantId: string, approvalId: string, substitutionId: string): Promise<void> {
    await this.database.tenant({ tenantId }, async (tx) => {
      const approval = await tx.findOneBy(Approval, { tenantId, id: approvalId, state: 'pending' });
      if (!approval) return;
      const { callId, taskId } = approval;
      await this.outbox.write(tx, tenantId, substitutionStarted, { approvalId, callId, taskId, substitutionId });
    });
  }
}
