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

  /** For the steps of one call, which were requested at the same time. */
  async schedule(tx: Tx, tenantId: string, approvals: readonly Approval[]): Promise<void> {
    const ids = [...new Set(approvals.flatMap(({ substitutionIds }) => substitutionIds))];
    if (!ids.length) return;
    const later = { tenantId, id: In(ids), startsAt: MoreThan(approvals[0].createdAt) };
    const startsOf = new Map((await tx.findBy(Substitution, later)).map(({ id, startsAt }) => [id, startsAt]));
    const jobs = approvals.flatMap(({ id: approvalId, substitutionIds }) =>
      substitutionIds.flatMap((substitutionId) => {
        const runAt = startsOf.get(substitutionId);
        return runAt ? [{ payload: { tenantId, approvalId, substitutionId }, runAt }] : [];
      }),
    );
    await this.queue.addAll(tx, job, jobs);
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
