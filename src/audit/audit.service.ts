import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { newId } from '../platform/crypto/ids.js';
import { pipelineOf, DatabaseService } from '../platform/database/database.service.js';
import type { Principal } from '../principal/principal.js';
import { insertAuditEvents } from './audit.sql.js';

export { insertAuditEventsOf } from './audit.sql.js';

export interface AuditRecord {
  /** A noun and a past verb: "member.suspended". */
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

  /** In the transaction of what it records: both are there, or neither. */
  record(tx: EntityManager, principal: Principal, record: AuditRecord): Promise<void> {
    return this.recordAll(tx, [{ principal, record }]);
  }

  /** The same for many, in one statement. */
  async recordAll(tx: EntityManager, entries: readonly AuditEntry[]): Promise<void> {
    if (!entries.length) return;
    const connection = await pipelineOf(tx);
    await connection.query({ ...insertAuditEvents, values: [this.serialize(entries)] });
  }

  /** For a statement that writes them together with what they tell of: by `insertAuditEventsOf`. */
  serialize(entries: readonly AuditEntry[]): string {
    const events = entries.map(({ principal, record: { kind, subject, detail = {} } }) => ({
      tenant: principal.tenantId,
      id: newId(),
      kind,
      actor: auditActorOf(principal),
      subject,
      detail,
      request: principal.requestId,
    }));
    return JSON.stringify(events);
  }
}

/** Who acted, as the records keep it: it outlives the member, the key and the client it names. */
export function auditActorOf(principal: Principal) {
  const { kind, name, memberId, agentId, configurationId, keyId, clientId, surface, chain } = principal;
  return {
    kind,
    name,
    memberId,
    agentId,
    configurationId,
    keyId,
    clientId,
    surface,
    ...(chain.length ? { chain } : {}),
  };
}
