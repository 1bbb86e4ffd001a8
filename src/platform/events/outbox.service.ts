import { Injectable, type OnModuleInit } from '@nestjs/common';
import { newId } from '../crypto/ids.js';
import { DatabaseService } from '../database/database.service.js';
import type { Tx } from '../database/tx.js';
import { QueueService } from '../queue/queue.service.js';
import { deleteExpiredOutboxRows, outboxRowsSince } from './outbox.system.sql.js';

/** Longer than the time limit of any consumer. */
const outboxRetentionDays = 7;
const outboxDeleteBatch = 5000;

export interface OutboxRow {
  tenantId: string;
  id: string;
  kind: string;
  payload: Record<string, string | number | null>;
}

/** Events for external consumers, written in the transaction of the change. They contain ids only, never content. */
@Injectable()
export class OutboxService implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
  ) {}

  onModuleInit(): void {
    this.queue.every('outbox.sweep', 3600, () => this.sweep());
  }

  async write(tx: Tx, tenantId: string, kind: string, payload: Record<string, string | number | null>): Promise<void> {
    await tx.query('insert into outbox (tenant_id, id, kind, payload, at) values ($1, $2, $3, $4, now())', [
      tenantId,
      newId(),
      kind,
      payload,
    ]);
  }

  /** Writes several rows in one statement. */
  async writeAll(
    tx: Tx,
    tenantId: string,
    kind: string,
    payloads: readonly Record<string, string | number | null>[],
  ): Promise<void> {
    if (!payloads.length) return;
    await tx.query(
      `insert into outbox (tenant_id, id, kind, payload, at)
       select $1, id, $2, payload, now() from unnest($3::uuid[], $4::jsonb[]) as t (id, payload)`,
      [tenantId, kind, payloads.map(() => newId()), payloads.map((payload) => JSON.stringify(payload))],
    );
  }

  /** The latest rows of each tenant, starting at `id`, at most `limit` per tenant. */
  async listSince(tenantIds: readonly string[], id: string, limit: number): Promise<OutboxRow[]> {
    const values = [tenantIds, id, limit];
    return (await this.database.systemPool.query<OutboxRow>({ ...outboxRowsSince, values })).rows;
  }

  async sweep(): Promise<void> {
    const deleteBatch = () =>
      this.database.systemPool.query(deleteExpiredOutboxRows, [outboxRetentionDays, outboxDeleteBatch]);
    while ((await deleteBatch()).rowCount === outboxDeleteBatch);
  }
}
