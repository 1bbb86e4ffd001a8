import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { type AuditEventRef, auditEventsSince } from './audit.system.sql.js';

export type { AuditEventRef } from './audit.system.sql.js';

/** Reads the newest events of several organizations at once, for followers of changes. */
@Injectable()
export class AuditTailService {
  constructor(private readonly database: DatabaseService) {}

  /** The latest events of each tenant, starting at `id`, at most `limit` per tenant. */
  listSince(tenantIds: readonly string[], id: string, limit: number): Promise<AuditEventRef[]> {
    return this.database.systemPool.run(auditEventsSince, [tenantIds, id, limit]);
  }
}
