import { Injectable } from '@nestjs/common';
import { Database } from '../platform/database/database.service.js';
import { tenantsOfConnections } from './connections.system.sql.js';

/** For wake-ups, which carry ids alone. */
@Injectable()
export class ConnectionTenants {
  constructor(private readonly database: Database) {}

  /** By the id of the connection. */
  async of(ids: readonly string[]): Promise<Map<string, string>> {
    if (!ids.length) return new Map();
    const { rows } = await this.database.systemPool.query<{ id: string; tenantId: string }>({
      ...tenantsOfConnections,
      values: [ids],
    });
    return new Map(rows.map(({ id, tenantId }) => [id, tenantId]));
  }
}
