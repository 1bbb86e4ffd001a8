import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { inParallel } from '../platform/events/in-parallel.js';
import { LogService } from '../platform/telemetry/log.service.js';
import type { Principal } from '../principal/principal.js';
import { ConnectionsService } from './connections.service.js';

const verificationConcurrency = 16;

/**
 * Verifies many connections without making the caller wait for systems that hang. If the process stops first,
 * `ConnectionVerificationScheduler` verifies the rest on its schedule, within about ten minutes.
 */
@Injectable()
export class ConnectionBatchVerificationService implements OnModuleDestroy {
  private readonly shutdown = new AbortController();
  private readonly batches = new Set<Promise<void>>();

  constructor(
    private readonly connections: ConnectionsService,
    private readonly log: LogService,
  ) {}

  async onModuleDestroy(): Promise<void> {
    this.shutdown.abort(new Error('the server is shutting down'));
    await Promise.all(this.batches);
  }

  /** Resolves when all are verified, or after `waitMs`. The rest is then verified in the background. */
  async verify(principal: Principal, connectionIds: readonly string[], waitMs: number): Promise<void> {
    if (!connectionIds.length) return;
    const batch = inParallel(connectionIds, verificationConcurrency, (id) => this.verifyOne(principal, id));
    this.batches.add(batch);
    const done = batch.finally(() => this.batches.delete(batch));
    await Promise.race([done, sleep(waitMs, undefined, { ref: false })]);
  }

  private async verifyOne(principal: Principal, id: string): Promise<void> {
    if (this.shutdown.signal.aborted) return;
    try {
      await this.connections.verify(principal, id, this.shutdown.signal);
    } catch (error) {
      this.log.warn({ err: error, connectionId: id }, 'connection verification failed; the schedule will retry it');
    }
  }
}
