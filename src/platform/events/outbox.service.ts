import { Injectable, type OnModuleInit } from '@nestjs/common';
import { newId } from '../crypto/ids.js';
import { DatabaseService } from '../database/database.service.js';
import type { Tx } from '../database/tx.js';
import { QueueService } from '../queue/queue.service.js';
import { insertOutboxRow, insertOutboxRows, type OutboxPayload } from './outbox.sql.js';
import { deleteExpiredOutboxRows, type OutboxRow, outboxRowsSince } from './outbox.system.sql.js';

export type { OutboxRow } from './outbox.system.sql.js';

/** Longer than the time limit of any consumer. */
const outboxRetentionDays = 7;
const outboxDeleteBatch = 5000;

/** Runs in the transaction that writes the events. */
type OutboxListener = (tx: Tx, tenantId: string, kind: string, events: OutboxEvent[]) => Promise<void>;
export interface OutboxEvent {
  id: string;
  payload: OutboxPayload;
}

/** Events for external consumers, written in the transaction of the change. They contain ids only, never content. */
@Injectable()
export class OutboxService implements OnModuleInit {
  private readonly listeners: OutboxListener[] = [];

  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
  ) {}

  onModuleInit(): void {
    this.queue.every('outbox.sweep', 3600, () => this.sweep());
  }

  /** Call it in `onModuleInit` only. The listener may add a job: it commits together with the events. */
  onWritten(listener: OutboxListener): void {
    this.listeners.push(listener);
  }

  async write(tx: Tx, tenantId: string, kind: string, payload: OutboxPayload): Promise<void> {
    const id = newId();
    await tx.execute(insertOutboxRow, [tenantId, id, kind, payload]);
    for (const listener of this.listeners) await listener(tx, tenantId, kind, [{ id, payload }]);
  }

  /** Writes several rows in one statement. */
  async writeAll(tx: Tx, tenantId: string, kind: string, payloads: readonly OutboxPayload[]): Promise<void> {
    if (!payloads.length) return;
    const events = payloads.map((payload) => ({ id: newId(), payload }));
    const texts = payloads.map((payload) => JSON.stringify(payload));
    await tx.execute(insertOutboxRows, [tenantId, kind, events.map(({ id }) => id), texts]);
    for (const listener of this.listeners) await listener(tx, tenantId, kind, events);
  }

  /** The latest rows of each tenant, starting at `id`, at most `limit` per tenant. */
  listSince(tenantIds: readonly string[], id: string, limit: number): Promise<OutboxRow[]> {
    return this.database.systemPool.run(outboxRowsSince, [tenantIds, id, limit]);
  }

  async sweep(): Promise<void> {
    const deleteBatch = () =>
      this.database.systemPool.execute(deleteExpiredOutboxRows, [outboxRetentionDays, outboxDeleteBatch]);
    while ((await deleteBatch()) === outboxDeleteBatch);
  }
}
