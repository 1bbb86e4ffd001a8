import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { auditEventsSince } from './audit.system.sql.js';

/** Identifies an audit event without its content. */
export interface AuditEventRef {
  tenantId: string;
  id: string;
  kind: string;
  subjectType: string | null;
  subjectId: string | null;
  taskId: string | null;
}

/** Reads the newest events of several organizations at once, for followers of changes. */
@Injectable()
export class AuditTailService {
  constructor(private readonly database: DatabaseService) {}

  /** The latest events of each tenant, starting at `id`, at most `limit` per tenant. */
  async listSince(tenantIds: readonly string[], id: string, limit: number): Promise<AuditEventRef[]> {
    const values = [tenantIds, id, limit];
    return (await this.database.systemPool.query<AuditEventRef>({ ...auditEventsSince, values })).rows;
  }
}
