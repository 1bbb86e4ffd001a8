import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditService } from '../../audit/audit.service.js';
import type { Principal } from '../../principal/principal.js';
import { emailKey } from '../vendor-identity.js';
import { type Holder, holdersOf, type MemberToFollow, membersToFollow } from './members-as-people.sql.js';
import { Merging } from './merging.service.js';
import { changePeople, insertPeople, lockPeople, type NewPerson, type PersonChange } from './people-rows.js';
import { takeAlias } from './people.sql.js';

type Member = MemberToFollow & { personId: string };

/**
 * Every member is a person that vendors may name: named as the account is, gone when it is gone. Whoever a list named before,
 * by this address or with it among others, becomes the member and stays the same person.
 */
@Injectable()
export class MembersAsPeople {
  constructor(
    private readonly audit: AuditService,
    private readonly merging: Merging,
  ) {}

  async follow(tx: EntityManager, principal: Principal): Promise<void> {
    const { tenantId } = principal;
    if (!(await changedMembers(tx, tenantId)).length) return;
    await lockPeople(tx, tenantId);
    const members = await changedMembers(tx, tenantId);
    await this.followKnown(tx, principal, members.filter(isKnown));
    await this.followNew(
      tx,
      principal,
      members.filter((member) => !isKnown(member)),
    );
  }

  /** The account was renamed, got another address, ended or came back. */
  private async followKnown(tx: EntityManager, principal: Principal, members: Member[]): Promise<void> {
    const { tenantId } = principal;
    const holders = await holdersByAddress(tx, tenantId, members);
    for (const { email, personId } of members) {
      const holder = holders.get(email);
      if (!holder || holder.id === personId) continue;
      if (holder.hasAccount) await this.takeAddress(tx, principal, email, holder, personId);
      else await this.merging.merge(tx, principal, { from: holder.id, into: personId });
    }
    await changePeople(
      tx,
      tenantId,
      members.map(({ personId, email, name, removedAt }) => ({ id: personId, email, name, removedAt })),
    );
  }

  private async followNew(tx: EntityManager, principal: Principal, members: MemberToFollow[]): Promise<void> {
    const { tenantId } = principal;
    const holders = await holdersByAddress(tx, tenantId, members);
    const strangers: NewPerson[] = [];
    const known = new Map<string, PersonChange>();
    for (const { memberId, email, name, removedAt } of members) {
      const holder = holders.get(email);
      if (!holder) strangers.push({ memberId, email, name, removedAt });
      else if (!holder.hasAccount && !known.has(holder.id))
        known.set(holder.id, { id: holder.id, memberId, email, name, removedAt });
      else if (!removedAt) {
        await this.takeAddress(tx, principal, email, holder, null);
        strangers.push({ memberId, email, name, removedAt });
      }
    }
    await changePeople(tx, tenantId, [...known.values()]);
    await insertPeople(tx, tenantId, strangers);
  }

  /** Whoever signs in with an address owns it, whatever a list said. The past stays with whom it was matched to. */
  private async takeAddress(
    tx: EntityManager,
    principal: Principal,
    email: string,
    from: Holder,
    into: string | null,
  ): Promise<void> {
    await tx.query(takeAlias, [principal.tenantId, email, into]);
    await this.audit.record(tx, principal, {
      kind: 'spend_person.address_taken',
      subject: { type: 'spend_person', id: from.id, name: from.name },
      detail: { address: email, because: 'somebody else signs in with it' },
    });
  }
}

async function changedMembers(tx: EntityManager, tenantId: string): Promise<MemberToFollow[]> {
  const members = await tx.query<MemberToFollow[]>(membersToFollow, [tenantId]);
  return members.map((member) => ({ ...member, email: emailKey(member.email) ?? member.email })).filter(isBehind);
}

/** Accounts may spell the domain of their address in another way than we do. */
const isBehind = ({ personId, email, name, removedAt, ...former }: MemberToFollow): boolean =>
  personId === null ||
  email !== former.formerEmail ||
  name !== former.formerName ||
  (removedAt !== null) !== former.formerlyRemoved;

const isKnown = (member: MemberToFollow): member is Member => member.personId !== null;

async function holdersByAddress(
  tx: EntityManager,
  tenantId: string,
  members: readonly MemberToFollow[],
): Promise<Map<string, Holder>> {
  const holders = await tx.query<Holder[]>(holdersOf, [tenantId, members.map(({ email }) => email)]);
  return new Map(holders.map((holder) => [holder.key, holder]));
}
