import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Principal } from '../../principal/principal.js';
import type { PeopleVisibility } from '../people/people-visibility.service.js';
import type { Day } from '../usage-row.js';
import { versionsInUse, usersOfVersion } from './client-versions.sql.js';
import { tenantsWithFeeds } from './feeds.system.sql.js';

/** A version of a vendor's client, and how many people it was last seen with. */
export interface VersionInUse {
  connectionId: string;
  /** Kind of the connection, which is the vendor's name: "cursor". */
  vendor: string;
  version: string;
  people: number;
  lastDay: Day;
}

/** Somebody who uses a version; under the pseudonym where the organization wants that. */
export interface VersionUser {
  name: string;
  lastDay: Day;
}

/** Which versions of the assistants' clients are in use, as vendors count it. */
@Injectable()
export class ClientVersionsService {
  constructor(private readonly database: DatabaseService) {}

  /** Organizations whose usage is pulled from a vendor. */
  listTenants(): Promise<string[]> {
    return this.database.system('spend tenants', tenantsWithFeeds);
  }

  /** Of everybody the version that they were last seen with, of those seen since a day. Removed connections do not count. */
  listInUse(tx: EntityManager, { tenantId }: Principal, since: Day): Promise<VersionInUse[]> {
    return tx.query(versionsInUse, [tenantId, since]);
  }

  /** Who that is, of those whom `seen` lets one see (see `PeopleVisibilityService`); at most `first`. The caller records the reading. */
  async listUsers(
    tx: EntityManager,
    { tenantId }: Principal,
    { connectionId, version, since }: { connectionId: string; version: string; since: Day },
    { individuals, pseudonyms }: PeopleVisibility,
    first: number,
  ): Promise<VersionUser[]> {
    if (individuals === 'none') return [];
    const groups = individuals === 'all' ? null : individuals;
    return tx.query(usersOfVersion, [tenantId, connectionId, version, since, groups, pseudonyms, first]);
  }
}
