import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { WakeupChannel } from '../platform/events/wakeup-channel.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import type { Principal } from '../principal/principal.js';
import { dueTopic } from './topics.js';
import { makeDueIfReplyPending, wakeParent } from './delegations.sql.js';

/**
 * Wakes the parent of a delegated task when the delegated task changes. If a wake-up is lost, the parent still polls.
 */
@Injectable()
export class ParentTaskNotifier {
  constructor(
    private readonly database: DatabaseService,
    private readonly wakeupChannel: WakeupChannel,
    private readonly log: LogService,
  ) {}

  notify({ tenantId, chain }: Pick<Principal, 'tenantId' | 'chain'>, taskId: string): void {
    if (chain.at(-1)?.kind === 'configuration') this.wake(tenantId, taskId);
  }

  /** Wakes the parent of this task. */
  wake(tenantId: string, taskId: string): void {
    this.database
      .tenant({ tenantId }, (tx) => tx.one(wakeParent, [tenantId, taskId]))
      .then((parent) => parent && this.wakeupChannel.publish(dueTopic, parent.id))
      .catch((error: unknown) =>
        this.log.warn({ err: error, taskId }, 'parent task could not be woken; it polls again'),
      );
  }

  /**
   * Call after a task starts to wait for a reply to a delegated agent: a reply that is already stored is forwarded at
   * once.
   */
  async wakeIfReplyPending(tenantId: string, taskId: string): Promise<void> {
    const dueCount = await this.database.tenant({ tenantId }, (tx) =>
      tx.execute(makeDueIfReplyPending, [tenantId, taskId]),
    );
    if (dueCount === 1) this.wakeupChannel.publish(dueTopic, taskId);
  }
}
