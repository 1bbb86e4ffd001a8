import { Injectable, type OnModuleInit } from '@nestjs/common';
import type {
  ClientUsageSource,
  ReportingConnection,
  ServerUse,
  ServerUser,
  VersionInUse,
  VersionUser,
} from '../../people/client-usage/client-usage.port.js';
import { ClientUsageRegistry } from '../../people/client-usage/client-usage-registry.service.js';
import type { PeopleVisibility } from '../../people/people-visibility.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import type { Day } from '../../platform/time/day.js';
import type { Principal } from '../../principal/principal.js';
import { usersOfVersion, versionsInUse } from './client-versions.sql.js';
import { tenantsWithFeeds } from './feeds.system.sql.js';
import { reportingConnections, serversInUse, serverUsers } from './mcp-usage.sql.js';

/** Provides the synced usage of AI clients to other modules. */
@Injectable()
export class ClientUsageService implements ClientUsageSource, OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly clientUsage: ClientUsageRegistry,
  ) {}

  onModuleInit(): void {
    this.clientUsage.register(this);
  }

  async listTenants(): Promise<string[]> {
    const rows = await this.database.system('spend tenants', (tx) => tx.run(tenantsWithFeeds));
    return rows.map(({ tenantId }) => tenantId);
  }

  listVersions(tx: Tx, { tenantId }: Principal, since: Day): Promise<VersionInUse[]> {
    return tx.run(versionsInUse, [tenantId, since]);
  }

  async listVersionUsers(
    tx: Tx,
    { tenantId }: Principal,
    { connectionId, version, since }: { connectionId: string; version: string; since: Day },
    { individuals, pseudonyms }: PeopleVisibility,
    first: number,
  ): Promise<VersionUser[]> {
    if (individuals === 'none') return [];
    const groups = individuals === 'all' ? null : individuals;
    return tx.run(usersOfVersion, [tenantId, connectionId, version, since, groups, pseudonyms, first]);
  }

  listReportingConnections(tx: Tx, { tenantId }: Principal): Promise<ReportingConnection[]> {
    return tx.run(reportingConnections, [tenantId]);
  }

  listServers(
    tx: Tx,
    { tenantId }: Principal,
    { connectionId, since }: { connectionId: string; since: Day },
    first: number,
  ): Promise<ServerUse[]> {
    return tx.run(serversInUse, [tenantId, connectionId, since, first]);
  }

  listServerUsers(
    tx: Tx,
    { tenantId }: Principal,
    { connectionId, server, since }: { connectionId: string; server: string; since: Day },
  ): Promise<ServerUser[]> {
    return tx.run(serverUsers, [tenantId, connectionId, server, since]);
  }
}
