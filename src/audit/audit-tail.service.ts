import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { auditEventsSince } from './audit.system.sql.js';

/** That something was recorded, without what. */
export interface AuditEventRef {
  tenantId: string;
  id: string;
  kind: string;
  subjectType: string | null;
  subjectId: string | null;
  taskId: string | null;
}

/** For whoever follows what changes, in several organizations at once. */
@Injectable()
export class AuditTailService {
  constructor(private readonly database: DatabaseService) {}

  /** The latest of some tenants, from an id on, at most so many of each. */
  async listSince(tenantIds: readonly string[], id: string, limit: number): Promise<AuditEventRef[]> {
    const values = [tenantIds, id, limit];
    return (await this.database.systemPool.query<AuditEventRef>({ ...auditEventsSince, values })).rows;
  }
}
