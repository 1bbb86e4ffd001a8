import type { SealedAuditEvent, SealedHead } from '../../audit/sealed-events.service.js';

/** Events in the order of their positions, and the heads that were signed since the batch before. */
export interface StreamBatch {
  /** Names the range of the records. */
  id: string;
  tenantId: string;
  events: SealedAuditEvent[];
  heads: SealedHead[];
}

/** A line of JSON Lines: as in an export. */
export const eventLine = (event: SealedAuditEvent): string => JSON.stringify(event);
export const headLine = (head: SealedHead): string => JSON.stringify({ head });

/** The kind of an event that was removed from the database before it was sent. */
export const missingEventKind = 'audit.event_missing';
export const headKind = 'audit.head';
