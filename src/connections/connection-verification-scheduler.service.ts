import { Injectable, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { inParallel } from '../platform/events/in-parallel.js';
import { QueueService } from '../platform/queue/queue.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { systemPrincipal } from '../principal/principal.js';
import { ConnectionsService } from './connections.service.js';
import { type DueConnection, dueForVerification } from './connections.system.sql.js';

const verificationIntervalSeconds = 30;
const maxPerRound = 200;
const verificationConcurrency = 8;

/**
 * Verifies every connection periodically, so that a broken one is noticed before someone needs it. Does not use the
 * queue: a hundred systems that hang would leave no worker for approved calls.
 */
@Injectable()
export class ConnectionVerificationScheduler implements OnModuleInit, OnModuleDestroy {
  private readonly shutdown = new AbortController();
  private round?: Promise<void>;

  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly log: LogService,
    private readonly connections: ConnectionsService,
  ) {}

  onModuleInit(): void {
    this.queue.every('connections.due', verificationIntervalSeconds, async () => {
      // not awaited: a round may take longer than a tick
      this.verifyDue().catch((error: unknown) => this.log.warn({ err: error }, 'due connections could not be listed'));
    });
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.abort(new Error('the server is shutting down'));
    await this.round;
  }

  /** One round at a time; concurrent callers wait for the running one. */
  verifyDue(): Promise<void> {
    this.round ??= this.verifyAll().finally(() => (this.round = undefined));
    return this.round;
  }

  private async verifyAll(): Promise<void> {
    const due = await this.database.system('connections due', (tx) => tx.run(dueForVerification, [maxPerRound]));
    await inParallel(due, verificationConcurrency, (one) => this.verifyOne(one));
  }

  private async verifyOne({ tenantId, id }: DueConnection): Promise<void> {
    if (this.shutdown.signal.aborted) return;
    try {
      await this.connections.verify(systemPrincipal(tenantId, 'connections'), id, this.shutdown.signal);
    } catch (error) {
      this.log.warn({ err: error, connectionId: id }, 'connection verification failed; it will be retried');
    }
  }
}
