import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../../platform/database/database.service.js';
import { WakeupChannel } from '../../platform/events/wakeup-channel.service.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import type { Principal } from '../../principal/principal.js';
import { dueTopic } from '../topics.js';
import { makeDueIfReplyPending, wakeParent } from './delegations.sql.js';

/** Tells the task that handed one on that this has moved. Should it not hear, it looks again after a while. */
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

  /** The one that waits for this one. */
  wake(tenantId: string, taskId: string): void {
    this.database
      .tenant({ tenantId }, (tx) => wakeParent(tx, tenantId, taskId))
      .then((parent) => parent && this.wakeupChannel.publish(dueTopic, parent))
      .catch((error: unknown) =>
        this.log.warn({ err: error, taskId }, 'a task that waits was not told; it looks again'),
      );
  }

  /** A task was put to wait for an answer to what another's agent asks. One that is there already is passed on at once. */
  async wakeIfReplyPending(tenantId: string, taskId: string): Promise<void> {
    const isDue = await this.database.tenant({ tenantId }, (tx) => makeDueIfReplyPending(tx, tenantId, taskId));
    if (isDue) this.wakeupChannel.publish(dueTopic, taskId);
  }
}
