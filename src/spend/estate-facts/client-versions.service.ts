import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import type { Day } from '../../platform/time/day.js';
import type { Principal } from '../../principal/principal.js';
import type { PeopleVisibility } from '../people/people-visibility.service.js';
import { type VersionInUse, versionsInUse, type VersionUser, usersOfVersion } from './client-versions.sql.js';
import { tenantsWithFeeds } from './feeds.system.sql.js';

export type { VersionUser } from './client-versions.sql.js';

/** Versions of the assistants' clients in use, as reported by vendors. */
@Injectable()
export class ClientVersionsService {
  constructor(private readonly database: DatabaseService) {}

  /** Tenants whose usage is synced from a vendor. */
  async listTenants(): Promise<string[]> {
    const rows = await this.database.system('spend tenants', (tx) => tx.run(tenantsWithFeeds));
    return rows.map(({ tenantId }) => tenantId);
  }

  /** The latest version of everyone who was active since a day. Excludes removed connections. */
  listInUse(tx: Tx, { tenantId }: Principal, since: Day): Promise<VersionInUse[]> {
    return tx.run(versionsInUse, [tenantId, since]);
  }

  /** Users of a version that are visible (see `PeopleVisibility`), at most `first`. The caller audits the access. */
  async listUsers(
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
}
