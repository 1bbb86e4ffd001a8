import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Principal } from '../principal/principal.js';
import { type AuditHead, exportedEvent, isPresent, toHead } from './sealing/audit-head.js';
import { headsAfter, newestTombstone, sealedBacklogs, type SealedEventRow, sealedEvents } from './sealing/seals.sql.js';

/** An event as an export contains it. Without its fields: somebody has removed the event. */
export interface SealedAuditEvent extends Partial<ReturnType<typeof exportedEvent>> {
  id: string;
  position: number;
  /** In hex. */
  leaf: string;
}
export type SealedHead = AuditHead;

/** Events that have not been read yet. */
export interface SealedBacklog {
  count: number;
  /** The time of the oldest one. */
  since: Date | null;
}

/** Reads the audit log of one organization in its sealed order. */
@Injectable()
export class SealedEventsService {
  constructor(private readonly database: DatabaseService) {}

  async list(tenantId: string, from: number, limit: number): Promise<SealedAuditEvent[]> {
    const rows = await this.database.tenant({ tenantId }, (tx) =>
      tx.run(sealedEvents, [tenantId, from, Number.MAX_SAFE_INTEGER, limit]),
    );
    return rows.map(toSealedEvent);
  }

  /** The heads that are larger than `after` and not larger than `size`, the smallest first. */
  async listHeads(tenantId: string, after: number, size: number, limit: number): Promise<SealedHead[]> {
    const rows = await this.database.tenant({ tenantId }, (tx) => tx.run(headsAfter, [tenantId, after, size, limit]));
    return rows.map(toHead);
  }

  /** The position of the first event that retention has not removed. */
  async findStart(principal: Principal): Promise<number> {
    const { tenantId } = principal;
    return (await this.database.tenant(principal, (tx) => tx.one(newestTombstone, [tenantId])))?.to ?? 0;
  }

  /** The events at or after each position, in the order of the positions. */
  findBacklogs(principal: Principal, positions: readonly number[]): Promise<SealedBacklog[]> {
    return this.database.tenant(principal, (tx) => tx.run(sealedBacklogs, [principal.tenantId, positions]));
  }

  async countSealed(principal: Principal): Promise<number> {
    const [{ count }] = await this.findBacklogs(principal, [0]);
    return count;
  }
}

/** If somebody has removed the event, its position, id and leaf hash remain. */
export function toSealedEvent({ position, leaf, ...event }: SealedEventRow): SealedAuditEvent {
  const seal = { position, leaf: leaf.toString('hex') };
  return isPresent(event) ? { ...exportedEvent(event), ...seal } : { id: event.id, ...seal };
}
