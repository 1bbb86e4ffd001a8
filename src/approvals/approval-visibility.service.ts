import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import type { SelectQueryBuilder } from 'typeorm';
import type { Tx } from '../platform/database/tx.js';
import { MembersService } from '../access/members.service.js';
import type { Principal } from '../principal/principal.js';
import { Approval } from './approval.entity.js';
import { approvalNotFound } from './approvals.error.js';
import { isVisibleTo } from './approvals.sql.js';

/**
 * Auditors and administrators see all approvals. Others see those that they requested, decided, or can decide as
 * members of a group. Members with break-glass rights see what they could override.
 */
@Injectable()
export class ApprovalVisibilityService {
  constructor(private readonly members: MembersService) {}

  async query(tx: Tx, principal: Principal): Promise<SelectQueryBuilder<Approval>> {
    const { tenantId } = principal;
    const query = tx.createQueryBuilder(Approval, 'approval').where('approval.tenantId = :tenantId', { tenantId });
    const viewer = await this.loadViewer(tx, principal);
    return viewer ? query.andWhere(isVisibleTo(':memberId', ':groupIds'), viewer) : query;
  }

  /** The member whose approvals are visible. Null if all are. */
  async loadViewer(tx: Tx, principal: Principal): Promise<{ memberId: string; groupIds: string[] } | null> {
    if (principal.permissions.has('audit:read')) return null;
    const memberId = principal.memberId!;
    return { memberId, groupIds: await this.members.listGroupIds(principal, memberId, tx) };
  }

  async get(tx: Tx, principal: Principal, id: string): Promise<Approval> {
    const query = await this.query(tx, principal);
    const approval = isUUID(id) && (await query.andWhere('approval.id = :id', { id }).getOne());
    if (!approval) throw approvalNotFound('No such approval is visible to you.');
    return approval;
  }
}
