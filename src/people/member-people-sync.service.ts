import { Injectable } from '@nestjs/common';
import type { Tx } from '../platform/database/tx.js';
import { AuditService } from '../audit/audit.service.js';
import type { Principal } from '../principal/principal.js';
import { emailKey } from './vendor-identity.port.js';
import { type AliasHolder, aliasHolders, type MemberToSync, membersToSync } from './member-people-sync.sql.js';
import { PersonMergeService } from './person-merge.service.js';
import { changePeople, insertPeople, type NewPerson, type PersonChange } from './people-rows.js';
import { lockPeople } from './people-rows.sql.js';
import { transferAlias } from './people.sql.js';

type LinkedMember = MemberToSync & { personId: string };

/**
 * Keeps one person per member. Name, email address and removal follow the account. An imported person who already has
 * the email address of a member, as main address or alias, is linked to the member and stays the same person.
 */
@Injectable()
export class MemberPeopleSyncService {
  constructor(
    private readonly audit: AuditService,
    private readonly personMerge: PersonMergeService,
  ) {}

  async sync(tx: Tx, principal: Principal): Promise<void> {
    const { tenantId } = principal;
    if (!(await changedMembers(tx, tenantId)).length) return;
    await tx.execute(lockPeople, [tenantId]);
    const members = await changedMembers(tx, tenantId);
    await this.syncExisting(tx, principal, members.filter(isLinked));
    await this.syncNew(
      tx,
      principal,
      members.filter((member) => !isLinked(member)),
    );
  }

  /** Accounts that were renamed, changed their email address, were removed or restored. */
  private async syncExisting(tx: Tx, principal: Principal, members: LinkedMember[]): Promise<void> {
    const { tenantId } = principal;
    const holders = await holdersByAddress(tx, tenantId, members);
    for (const { email, personId } of members) {
      const holder = holders.get(email);
      if (!holder || holder.id === personId) continue;
      if (holder.hasAccount) await this.transferAddress(tx, principal, email, holder, personId);
      else await this.personMerge.merge(tx, principal, { from: holder.id, into: personId });
    }
    await changePeople(
      tx,
      tenantId,
      members.map(({ personId, email, name, removedAt }) => ({ id: personId, email, name, removedAt })),
    );
  }

  private async syncNew(tx: Tx, principal: Principal, members: MemberToSync[]): Promise<void> {
    const { tenantId } = principal;
    const holders = await holdersByAddress(tx, tenantId, members);
    const newPeople: NewPerson[] = [];
    const known = new Map<string, PersonChange>();
    for (const { memberId, email, name, removedAt } of members) {
      const holder = holders.get(email);
      if (!holder) newPeople.push({ memberId, email, name, removedAt });
      else if (!holder.hasAccount && !known.has(holder.id))
        known.set(holder.id, { id: holder.id, memberId, email, name, removedAt });
      else if (!removedAt) {
        await this.transferAddress(tx, principal, email, holder, null);
        newPeople.push({ memberId, email, name, removedAt });
      }
    }
    await changePeople(tx, tenantId, [...known.values()]);
    await insertPeople(tx, tenantId, newPeople);
  }

  /** The member who signs in with an email address owns it, regardless of imports. Past matches stay. */
  private async transferAddress(
    tx: Tx,
    principal: Principal,
    email: string,
    from: AliasHolder,
    into: string | null,
  ): Promise<void> {
    await tx.execute(transferAlias, [principal.tenantId, email, into]);
    await this.audit.record(tx, principal, {
      kind: 'spend_person.address_taken',
      subject: { type: 'spend_person', id: from.id, name: from.name },
      detail: { address: email, because: 'another member signs in with it' },
    });
  }
}

async function changedMembers(tx: Tx, tenantId: string): Promise<MemberToSync[]> {
  const members = await tx.run(membersToSync, [tenantId]);
  return members.map((member) => ({ ...member, email: emailKey(member.email) ?? member.email })).filter(isOutdated);
}

/** Accounts may spell the domain of an email address differently, so this compares normalized addresses. */
const isOutdated = ({ personId, email, name, removedAt, ...former }: MemberToSync): boolean =>
  personId === null ||
  email !== former.formerEmail ||
  name !== former.formerName ||
  (removedAt !== null) !== former.formerlyRemoved;

const isLinked = (member: MemberToSync): member is LinkedMember => member.personId !== null;

async function holdersByAddress(
  tx: Tx,
  tenantId: string,
  members: readonly MemberToSync[],
): Promise<Map<string, AliasHolder>> {
  const holders = await tx.run(aliasHolders, [tenantId, members.map(({ email }) => email)]);
  return new Map(holders.map((holder) => [holder.key, holder]));
}
