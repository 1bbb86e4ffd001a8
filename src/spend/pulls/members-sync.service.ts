import { Injectable } from '@nestjs/common';
import type { OwnConnection } from '../../platform/database/own-connections.service.js';
import { Matching } from '../people/matching.service.js';
import type { VendorMember } from '../vendor.js';
import { noteMembers } from './feeds/feeds.sql.js';
import { hold, type Lease } from './feeds/lease.js';
import { seatMembers, unseatOthers } from './members.sql.js';
import type { IdentityBook } from './staging/identity-book.js';

const atOnce = 25_000;

/** Whoever has a seat is known before anything was used, so that unused seats show. */
@Injectable()
export class MembersSync {
  constructor(private readonly matching: Matching) {}

  /** How many seats there are. */
  async sync(
    connection: OwnConnection,
    lease: Lease,
    book: IdentityBook,
    members: readonly VendorMember[],
  ): Promise<number> {
    const seated = members.filter(({ isRemoved }) => !isRemoved);
    const ids = await book.numbers(
      seated.map(({ identity }) => identity),
      seated,
    );
    const { tenantId } = lease.principal;
    await connection.tenant(lease.principal, async (tx) => {
      await hold(tx, lease);
      let changes = 0;
      for (let at = 0; at < seated.length; at += atOnce) {
        const some = seated.slice(at, at + atOnce);
        const [changed] = await tx.query<[unknown[], number]>(seatMembers, [
          tenantId,
          ids.slice(at, at + atOnce),
          some.map(({ role }) => role ?? null),
          some.map(({ identity }) => identity.email ?? null),
          some.map(({ identity }) => identity.vendorUserId ?? null),
          some.map(({ identity }) => identity.name ?? null),
        ]);
        changes += changed.length;
      }
      const [gone] = await tx.query<[unknown[], number]>(unseatOthers, [tenantId, lease.connectionId, ids]);
      await tx.query(noteMembers, [tenantId, lease.connectionId, ids.length]);
      if (book.takeNewcomers() || changes || gone.length)
        await this.matching.match(tx, lease.principal, lease.connectionId);
    });
    return seated.length;
  }

  /** People whom only usage tells of. */
  async matchNew(connection: OwnConnection, lease: Lease): Promise<void> {
    await connection.tenant(lease.principal, async (tx) => {
      await hold(tx, lease);
      await this.matching.match(tx, lease.principal, lease.connectionId);
    });
  }
}
