import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.service.js';
import { eventsSince } from './audit.system.sql.js';

/** That something was recorded, without what. */
export interface AuditMark {
  tenantId: string;
  id: string;
  kind: string;
  subjectType: string | null;
  subjectId: string | null;
  taskId: string | null;
}

/** For whoever follows what changes, in several organizations at once. */
@Injectable()
export class AuditTail {
  constructor(private readonly database: Database) {}

  /** The latest of some tenants, from an id on, at most so many of each. */
  async since(tenantIds: readonly string[], id: string, limit: number): Promise<AuditMark[]> {
    const values = [tenantIds, id, limit];
    return (await this.database.systemPool.query<AuditMark>({ ...eventsSince, values })).rows;
  }
}
