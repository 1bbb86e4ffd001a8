import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database.service.js';
import { Wakes } from '../../platform/events/wakes.service.js';
import { Log } from '../../platform/telemetry/log.service.js';
import type { Principal } from '../../principal/principal.js';
import { dueTopic } from '../topics.js';
import { dueIfUnheard, wakeParent } from './delegations.sql.js';

/** Tells the task that handed one on that this has moved. Should it not hear, it looks again after a while. */
@Injectable()
export class ParentTasks {
  constructor(
    private readonly database: Database,
    private readonly wakes: Wakes,
    private readonly log: Log,
  ) {}

  tell({ tenantId, chain }: Pick<Principal, 'tenantId' | 'chain'>, taskId: string): void {
    if (chain.at(-1)?.kind === 'configuration') this.wake(tenantId, taskId);
  }

  /** The one that waits for this one. */
  wake(tenantId: string, taskId: string): void {
    this.database
      .tenant({ tenantId }, (tx) => wakeParent(tx, tenantId, taskId))
      .then((parent) => parent && this.wakes.send(dueTopic, parent))
      .catch((error: unknown) =>
        this.log.warn({ err: error, taskId }, 'a task that waits was not told; it looks again'),
      );
  }

  /** A task was put to wait for an answer to what another's agent asks. One that is there already is passed on at once. */
  async waits(tenantId: string, taskId: string): Promise<void> {
    const isDue = await this.database.tenant({ tenantId }, (tx) => dueIfUnheard(tx, tenantId, taskId));
    if (isDue) this.wakes.send(dueTopic, taskId);
  }
}
