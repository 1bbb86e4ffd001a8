import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId } from '../crypto/ids.js';
import { Database } from '../database/database.service.js';
import { Queue } from '../queue/queue.service.js';
import { forgetOldNews, newsSince } from './outbox.system.sql.js';

/** Longer than anybody who tells it on is given. */
const keptDays = 7;
const batch = 5000;

export interface OutboxRow {
  tenantId: string;
  id: string;
  kind: string;
  payload: Record<string, string | number | null>;
}

/** What the world outside may want to hear of, written in the transaction of what happened. Ids only, never content. */
@Injectable()
export class Outbox implements OnModuleInit {
  constructor(
    private readonly database: Database,
    private readonly queue: Queue,
  ) {}

  onModuleInit(): void {
    this.queue.every('outbox.sweep', 3600, () => this.sweep());
  }

  async write(
    tx: EntityManager,
    tenantId: string,
    kind: string,
    payload: Record<string, string | number | null>,
  ): Promise<void> {
    await tx.query('insert into outbox (tenant_id, id, kind, payload, at) values ($1, $2, $3, $4, now())', [
      tenantId,
      newId(),
      kind,
      payload,
    ]);
  }

  /** The same of many, in one statement. */
  async writeAll(
    tx: EntityManager,
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

  /** The latest of some tenants, from an id on, at most so many of each. */
  async since(tenantIds: readonly string[], id: string, limit: number): Promise<OutboxRow[]> {
    const values = [tenantIds, id, limit];
    return (await this.database.systemPool.query<OutboxRow>({ ...newsSince, values })).rows;
  }

  async sweep(): Promise<void> {
    const forget = () => this.database.systemPool.query(forgetOldNews, [keptDays, batch]);
    while ((await forget()).rowCount === batch);
  }
}
