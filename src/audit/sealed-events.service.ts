import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Principal } from '../principal/principal.js';
import { type AuditHead, exportedEvent, isPresent, toHead } from './sealing/audit-head.js';
import { headsAfter, newestTombstone, sealedBacklogs, type SealedEventRow, sealedEvents } from './sealing/seals.sql.js';

/**
 * An event as an export contains it. Without its fields: the event was removed. Without `id` and `leaf`: and
 * its seal.
 */
export interface SealedAuditEvent extends Partial<ReturnType<typeof exportedEvent>> {
  position: number;
  /** In hex. */
  leaf?: string;
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

  /** Leaves out only what retention has removed. */
  async list(tenantId: string, from: number, limit: number): Promise<SealedAuditEvent[]> {
    const [rows, tombstone] = await this.database.tenant(
      { tenantId },
      async (tx) =>
        [
          await tx.run(sealedEvents, [tenantId, from, Number.MAX_SAFE_INTEGER, limit]),
          // read later, so that it explains every gap that retention has left
          await tx.one(newestTombstone, [tenantId]),
        ] as const,
    );
    const events: SealedAuditEvent[] = [];
    let next = from;
    for (const row of rows) {
      next = Math.max(next, Math.min(row.position, tombstone?.to ?? 0));
      for (; next < row.position && events.length < limit; next++) events.push({ position: next });
      if (events.length === limit) break;
      events.push(toSealedEvent(row));
      next = row.position + 1;
    }
    return events;
  }

  /** The heads that are larger than `after` and not larger than `size`, the smallest first. */
  async listHeads(tenantId: string, after: number, size: number, limit: number): Promise<SealedHead[]> {
    const rows = await this.database.tenant({ tenantId }, (tx) => tx.run(headsAfter, [tenantId, after, size, limit]));
    return rows.map(toHead);
  }

  /** The single record that a stream sends next: a head, or else an event. */
  async findNext(
    tenantId: string,
    position: number,
    headSize: number,
  ): Promise<{ events: SealedAuditEvent[]; heads: SealedHead[] } | null> {
    const heads = await this.listHeads(tenantId, headSize, position, 1);
    if (heads.length) return { events: [], heads };
    const events = await this.list(tenantId, position, 1);
    return events.length ? { events, heads } : null;
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

/** If the event was removed, its position, id and leaf hash remain. */
export function toSealedEvent({ position, leaf, ...event }: SealedEventRow): SealedAuditEvent {
  const seal = { position, leaf: leaf.toString('hex') };
  return isPresent(event) ? { ...exportedEvent(event), ...seal } : { id: event.id, ...seal };
}
