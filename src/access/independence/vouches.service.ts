import { Injectable } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { newId } from '../../platform/crypto/ids.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { notFound } from '../../platform/errors/general.error.js';
import type { Principal } from '../../principal/principal.js';
import { vouchHasNoEffect } from '../access.error.js';
import { Member } from '../member.entity.js';
import { requireFresh } from '../sessions.service.js';
import { AccessChangeNotifier } from './access-change-notifier.service.js';
import type { Independence } from './independence.js';
import { IndependenceService } from './independence.service.js';
import { insertVouch } from './independence.sql.js';
import { MemberVouch } from './vouch.entity.js';

/** Statements by members and the operator that only the member controls an account. */
@Injectable()
export class VouchesService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly independence: IndependenceService,
    private readonly changes: AccessChangeNotifier,
  ) {}

  list({ tenantId }: Principal, memberId: string): Promise<MemberVouch[]> {
    return this.database.tenant({ tenantId }, (tx) =>
      tx.find(MemberVouch, { where: { tenantId, memberId }, order: { id: 'asc' } }),
    );
  }

  /** Throws `vouch-has-no-effect` if the voucher depends on the same people as the member. */
  async vouch(principal: Principal, memberId: string): Promise<MemberVouch> {
    const by = principal.surface === 'system' ? null : requireFresh(principal).memberId;
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const member = await tx.findOneBy(Member, { tenantId, id: memberId, status: 'active' });
      if (!member) throw notFound('There is no such active member.');
      if (by !== null) await this.refuseDependent(tx, tenantId, by, member);
      const [vouch] = await tx.run(insertVouch, [tenantId, newId(), memberId, by]);
      await this.audit.record(tx, principal, {
        kind: 'member.vouched_for',
        subject: { type: 'member', id: memberId, name: member.name },
        detail: { vouchId: vouch.id },
      });
      await this.changes.publish(tx, tenantId);
      return tx.create(MemberVouch, vouch);
    });
  }

  private async refuseDependent(
    tx: Tx,
    tenantId: string,
    by: string,
    { id, name }: Pick<Member, 'id' | 'name'>,
  ): Promise<void> {
    const independence = await this.independence.load(tx, tenantId, [by, id]);
    if (by === id) throw vouchHasNoEffect('You cannot vouch for yourself. Ask another member.');
    const suspects = independence.peopleWithAccess(id);
    if (!suspects.length) throw vouchHasNoEffect(`${name} does not need another vouch.`);
    if (!canVouch(independence, by, id))
      throw vouchHasNoEffect(
        `You introduced ${name}, or the same person introduced both of you. Ask a member whom someone else introduced, or the operator of the server: countersign-operator admin vouch.`,
      );
  }
}

/** Whether a vouch by this member closes an introduction that currently lets another person use the account. */
export const canVouch = (independence: Independence, by: string, memberId: string): boolean =>
  by !== memberId &&
  independence
    .peopleWithAccess(memberId)
    .some(
      (person) =>
        !independence.couldUse(person, by) &&
        independence.openIntroductions(memberId, person).some(({ by: introducer }) => introducer !== by),
    );
