import { Injectable } from '@nestjs/common';
import type { BulkConnection } from '../../platform/database/bulk-database.service.js';
import { IdentityMatchingService } from '../../people/identity-matching.service.js';
import type { VendorMember } from '../vendor.js';
import { recordMemberSync } from './feeds/feeds.sql.js';
import { requireLease, type FeedLease } from './feeds/feed-lease.js';
import { assignSeats, releaseOtherSeats } from './members.sql.js';
import type { IdentityCache } from './staging/identity-cache.js';

const membersPerStatement = 25_000;

/** Stores seat holders before they use anything, so that unused seats are visible. */
@Injectable()
export class MembersSyncService {
  constructor(private readonly identityMatching: IdentityMatchingService) {}

  /** Returns the number of seats. */
  async sync(
    connection: BulkConnection,
    lease: FeedLease,
    identities: IdentityCache,
    members: readonly VendorMember[],
  ): Promise<number> {
    const seated = members.filter(({ isRemoved }) => !isRemoved);
    const ids = await identities.idsOf(
      seated.map(({ identity }) => identity),
      seated,
    );
    const { tenantId } = lease.principal;
    await connection.tenant(lease.principal, async (tx) => {
      await requireLease(tx, lease);
      let changes = 0;
      for (let at = 0; at < seated.length; at += membersPerStatement) {
        const batch = seated.slice(at, at + membersPerStatement);
        changes += await tx.execute(assignSeats, [
          tenantId,
          ids.slice(at, at + membersPerStatement),
          batch.map(({ role }) => role ?? null),
          batch.map(({ identity }) => identity.email ?? null),
          batch.map(({ identity }) => identity.vendorUserId ?? null),
          batch.map(({ identity }) => identity.name ?? null),
        ]);
      }
      const released = await tx.execute(releaseOtherSeats, [tenantId, lease.connectionId, ids]);
      await tx.execute(recordMemberSync, [tenantId, lease.connectionId, ids.length]);
      if (identities.takeHasNew() || changes || released)
        await this.identityMatching.match(tx, lease.principal, lease.connectionId);
    });
    return seated.length;
  }

  /** Matches identities that appear only in usage. */
  async matchNewIdentities(connection: BulkConnection, lease: FeedLease): Promise<void> {
    await connection.tenant(lease.principal, async (tx) => {
      await requireLease(tx, lease);
      await this.identityMatching.match(tx, lease.principal, lease.connectionId);
    });
  }
}
