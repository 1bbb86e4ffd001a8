import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId } from '../crypto/ids.js';

/** What the world outside may want to hear of, written in the transaction of what happened. Ids only, never content. */
@Injectable()
export class Outbox {
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
}
