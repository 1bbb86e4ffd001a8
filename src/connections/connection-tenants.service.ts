import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../platform/database/database.service.js';
import { tenantsOfConnections } from './connections.system.sql.js';

/** For wake-ups, which carry ids alone. */
@Injectable()
export class ConnectionTenantsService {
  constructor(private readonly database: DatabaseService) {}

  /** By the id of the connection. */
  async findByConnectionIds(ids: readonly string[]): Promise<Map<string, string>> {
    if (!ids.length) return new Map();
    const { rows } = await this.database.systemPool.query<{ id: string; tenantId: string }>({
      ...tenantsOfConnections,
      values: [ids],
    });
    return new Map(rows.map(({ id, tenantId }) => [id, tenantId]));
  }
}
