import { Injectable } from '@nestjs/common';
import { requireMember, requireSession } from '../access/sessions.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { newestFirstPage } from '../platform/graphql/newest-first.js';
import type { Page, PageArgs } from '../platform/graphql/connection.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { Approval } from './approval.entity.js';
import { ApprovalEligibilityService } from './approval-eligibility.service.js';
import { membersWhoCanApprove } from './approval-state.js';
import { isDecider } from './approvals.sql.js';

/** Bounds the work of one request. Later approvals appear once earlier ones are decided. */
const maxAssessed = 200;

/** The approvals that wait for one person. */
@Injectable()
export class DecidableApprovalsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly approvalEligibility: ApprovalEligibilityService,
  ) {}

  /** Newest first. A terminal may list them too; nobody decides there. */
  async list(principal: Principal, args: PageArgs): Promise<Page<Approval>> {
    const { memberId } = principal.surface === 'cli' ? requireMember(principal) : requireSession(principal);
    return this.database.tenant(principal, async (tx) => {
      const candidates = await listCandidates(tx, principal.tenantId, memberId);
      const voters = candidates.length ? await this.approvalEligibility.votersOfEach(tx, candidates) : [];
      const ids = candidates.flatMap((approval, nth) =>
        membersWhoCanApprove(approval, voters[nth]).includes(memberId) ? [approval.id] : [],
      );
      const query = tx
        .createQueryBuilder(Approval, 'approval')
        .where('approval.tenantId = :tenantId and approval.id = any (:ids)', { tenantId: principal.tenantId, ids });
      return newestFirstPage(query, args);
    });
  }
}

/** No one is added to the deciders of a request, so only their approvals are assessed. Those that expire first are first. */
const listCandidates = (tx: Tx, tenantId: string, memberId: string): Promise<Approval[]> =>
  tx
    .createQueryBuilder(Approval, 'approval')
    .where(`approval.tenantId = :tenantId and approval.state = 'pending' and approval.expiresAt > now()`, { tenantId })
    .andWhere(`${isDecider(':memberId')} and :memberId <> all (approval.approvedBy)`, { memberId })
    .orderBy('approval.expiresAt')
    .take(maxAssessed)
    .getMany();
