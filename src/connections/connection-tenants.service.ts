import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { tenantsOfConnections } from './connections.system.sql.js';

/** Resolves tenants for wakeups, which carry only connection ids. */
@Injectable()
export class ConnectionTenantsService {
  constructor(private readonly database: DatabaseService) {}

  /** Tenant ids by connection id. */
  async findByConnectionIds(ids: readonly string[]): Promise<Map<string, string>> {
    if (!ids.length) return new Map();
    const rows = await this.database.systemPool.run(tenantsOfConnections, [ids]);
    return new Map(rows.map(({ id, tenantId }) => [id, tenantId]));
  }
}
