import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { notFound } from '../../platform/errors/general.error.js';
import type { Principal } from '../../principal/principal.js';
import { Member } from '../member.entity.js';
import { IndependenceService } from './independence.service.js';
import type { IntroducingMember, MemberIndependence } from './member-independence.js';
import { MemberVouch } from './vouch.entity.js';
import { canVouch } from './vouches.service.js';

/** Shows administrators who introduced a member and who vouched for them. */
@Injectable()
export class MemberIndependenceService {
  constructor(
    private readonly database: DatabaseService,
    private readonly independence: IndependenceService,
  ) {}

  get(principal: Principal, memberId: string): Promise<MemberIndependence> {
    const { tenantId, memberId: viewer, sessionId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const member = await tx.findOneBy(Member, { tenantId, id: memberId });
      if (!member) throw notFound('There is no such member.');
      const independence = await this.independence.load(tx, tenantId, viewer ? [memberId, viewer] : [memberId]);
      const vouches = await tx.find(MemberVouch, { where: { tenantId, memberId }, order: { id: 'asc' } });
      const introductions = [...independence.introductionsOf(memberId)].sort((one, other) => one.at - other.at);
      const suspects = independence.peopleWithAccess(memberId);
      const ids = [...introductions.map(({ by }) => by), ...vouches.flatMap(({ madeBy }) => madeBy ?? []), ...suspects];
      const named = await this.nameLookup(tx, tenantId, ids);
      return {
        memberId,
        introductions: introductions.map(({ kind, by, at }) => ({ kind, by: named(by), at: new Date(at / 1000) })),
        vouches: vouches.map(({ madeBy, at }) => ({ by: madeBy === null ? null : named(madeBy), at })),
        dependsOn: suspects.map(named),
        canVouch:
          Boolean(sessionId && viewer) && member.status === 'active' && canVouch(independence, viewer!, memberId),
      };
    });
  }

  private async nameLookup(tx: Tx, tenantId: string, ids: string[]): Promise<(id: string) => IntroducingMember> {
    const members = await tx.findBy(Member, { tenantId, id: In(ids) });
    const names = new Map(members.map(({ id, name }) => [id, name]));
    return (id) => ({ id, name: names.get(id) ?? null });
  }
}
