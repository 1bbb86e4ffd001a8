import { Injectable } from '@nestjs/common';
import { newId } from '../platform/crypto/ids.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { auditActorOf } from './audit-actor.js';
import { insertAuditEvents } from './audit.sql.js';

export { auditActorOf } from './audit-actor.js';
export { insertAuditEventsOf } from './audit.sql.js';

export interface AuditRecord {
  /** A noun and a verb in the past tense: "member.suspended". */
  kind: string;
  subject?: { type: string; id: string; name?: string };
  /** No secrets, no argument values. */
  detail?: Record<string, unknown>;
}

interface AuditEntry {
  principal: Principal;
  record: AuditRecord;
}

@Injectable()
export class AuditService {
  constructor(private readonly database: DatabaseService) {}

  /** Pass the transaction of the recorded change, so that both commit or neither does. */
  record(tx: Tx, principal: Principal, record: AuditRecord): Promise<void> {
    return this.recordAll(tx, [{ principal, record }]);
  }

  /** Records several events in one statement. */
  async recordAll(tx: Tx, entries: readonly AuditEntry[]): Promise<void> {
    if (!entries.length) return;
    await tx.execute(insertAuditEvents, [this.serialize(entries)]);
  }

  /** The parameter of a statement that changes rows and inserts their events at once, with `insertAuditEventsOf`. */
  serialize(entries: readonly AuditEntry[]): string {
    // ids of the same millisecond are not ordered, but events are listed by id
    const ids = entries.map(() => newId()).sort();
    const events = entries.map(({ principal, record: { kind, subject, detail = {} } }, index) => ({
      tenant: principal.tenantId,
      id: ids[index],
      kind,
      actor: auditActorOf(principal),
      subject,
      detail,
      request: principal.requestId,
    }));
    return JSON.stringify(events);
  }
}
