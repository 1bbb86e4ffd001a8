import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { SelectQueryBuilder } from 'typeorm';
import type { Tx } from '../platform/database/tx.js';
import { MembersService } from '../access/members.service.js';
import type { Principal } from '../principal/principal.js';
import { Approval } from './approval.entity.js';
import { approvalNotFound } from './approvals.error.js';

/**
 * Auditors and administrators see all approvals. Others see those that they requested, decided, or can decide as
 * members of a group.
 */
@Injectable()
export class ApprovalVisibilityService {
  constructor(private readonly members: MembersService) {}

  async query(tx: Tx, principal: Principal): Promise<SelectQueryBuilder<Approval>> {
    const { tenantId, memberId, permissions } = principal;
    const query = tx.createQueryBuilder(Approval, 'approval').where('approval.tenantId = :tenantId', { tenantId });
    if (permissions.has('audit:read')) return query;
    const groups = await this.members.listGroupIds(principal, memberId!, tx);
    const mine = [
      ':memberId = any (approval.requesters)',
      'approval.decidedBy = :memberId',
      'approval.answerableId = :memberId',
      'approval.approverGroupId = any (:groups)',
      ':memberId = any (approval.deciders)',
    ];
    return query.andWhere(`(${mine.join(' or ')})`, { memberId, groups });
  }

  async get(tx: Tx, principal: Principal, id: string): Promise<Approval> {
    const query = await this.query(tx, principal);
    const approval = isUUID(id) && (await query.andWhere('approval.id = :id', { id }).getOne());
    if (!approval) throw approvalNotFound('No such approval is visible to you.');
    return approval;
  }
}
