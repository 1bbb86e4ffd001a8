import { Injectable } from '@nestjs/common';
import type { OwnConnection } from '../../platform/database/own-connections.service.js';
import { Matching } from '../people/matching.service.js';
import type { VendorMember } from '../vendor.js';
import { noteMembers } from './feeds/feeds.sql.js';
import { hold, type Lease } from './feeds/lease.js';
import { seatMembers, unseatOthers } from './members.sql.js';
import type { IdentityBook } from './staging/identity-book.js';

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
    const numbers = await book.numbers(members.map(({ identity }) => identity));
    const seated = new Map<number, VendorMember>();
    members.forEach((member, at) => member.isRemoved || seated.set(numbers[at], member));
    const { tenantId } = lease.principal;
    await connection.tenant(lease.principal, async (tx) => {
      await hold(tx, lease);
      const ids = [...seated.keys()];
      const said = [...seated.values()];
      const [changed] = await tx.query<[unknown[], number]>(seatMembers, [
        tenantId,
        ids,
        said.map(({ role }) => role ?? null),
        said.map(({ identity }) => identity.email ?? null),
        said.map(({ identity }) => identity.vendorUserId ?? null),
        said.map(({ identity }) => identity.name ?? null),
      ]);
      const [gone] = await tx.query<[unknown[], number]>(unseatOthers, [tenantId, lease.connectionId, ids]);
      await tx.query(noteMembers, [tenantId, lease.connectionId, ids.length]);
      if (book.takeNewcomers() || changed.length || gone.length)
        await this.matching.match(tx, lease.principal, lease.connectionId);
    });
    return seated.size;
  }

  /** People whom only usage tells of. */
  async matchNew(connection: OwnConnection, lease: Lease): Promise<void> {
    await connection.tenant(lease.principal, async (tx) => {
      await hold(tx, lease);
      await this.matching.match(tx, lease.principal, lease.connectionId);
    });
  }
}
