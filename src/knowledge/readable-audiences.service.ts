import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { Tx } from '../platform/database/tx.js';
import {
  listAudiencesOfAccounts,
  listRosterAccounts,
  type RosterAccounts,
} from './permissions/readable-audiences.sql.js';

const maxCachedIds = 200_000;

/**
 * The audiences that a reader belongs to. Each call reads which accounts belong to the reader and which rosters are
 * current, so that a revoked account, an expired or a new roster has effect at once. Only the audiences of accounts in
 * one version of a roster are cached: they never change.
 */
@Injectable()
export class ReadableAudiencesService {
  /** By tenant, connection, version of the roster, and accounts. */
  private readonly audiences = new LRUCache<string, readonly string[]>({
    maxSize: maxCachedIds,
    sizeCalculation: (ids) => ids.length + 1,
  });

  /** `memberId`: null if the reader is not a person, who belongs to the audiences that are open to everyone. */
  async list(
    tx: Tx,
    tenantId: string,
    connectionIds: readonly string[],
    memberId: string | null,
  ): Promise<Map<string, readonly string[]>> {
    const rosters = await tx.run(listRosterAccounts, [tenantId, connectionIds, memberId]);
    const found = new Map(rosters.map((roster) => [roster, this.audiences.get(keyOf(tenantId, roster))]));
    const missing = rosters.filter((roster) => !found.get(roster));
    if (missing.length) {
      const missingIds = missing.map(({ connectionId }) => connectionId);
      const accountIds = missing.flatMap((roster) => roster.accountIds);
      const loaded = await tx.run(listAudiencesOfAccounts, [tenantId, missingIds, accountIds]);
      for (const roster of missing) {
        // the accounts of a newer roster may belong to other members: this call then finds no audience of it
        const own = loaded.find((row) => row.connectionId === roster.connectionId && row.version === roster.version);
        if (!own) continue;
        found.set(roster, own.audienceIds);
        this.audiences.set(keyOf(tenantId, roster), own.audienceIds);
      }
    }
    return new Map(rosters.map((roster) => [roster.connectionId, found.get(roster) ?? []]));
  }
}

const keyOf = (tenantId: string, { connectionId, version, accountIds }: RosterAccounts): string =>
  [tenantId, connectionId, version, ...accountIds].join(' ');
