import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { requireSession } from '../access/sessions.service.js';
import { Batcher } from '../platform/database/batcher.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Page, PageArgs } from '../platform/graphql/connection.js';
import { newestFirstPage, oldestFirstPage } from '../platform/graphql/newest-first.js';
import type { Principal } from '../principal/principal.js';
import type { ApprovalCandidate } from './approval-candidate.entity.js';
import { ApprovalCandidatesService } from './approval-candidates.service.js';
import { ApprovalEligibilityService } from './approval-eligibility.service.js';
import { membersWhoCanApprove, type Voter } from './approval-state.js';
import { ApprovalVisibilityService } from './approval-visibility.service.js';
import { Approval, type ApprovalState } from './approval.entity.js';
import { earlierApprovals, earlierVisibleApprovals } from './approvals.sql.js';

export interface ApprovalFilter {
  state?: ApprovalState | null;
  /** True: open for decisions. False: decided, void or expired approvals. */
  isPending?: boolean | null;
  taskId?: string | null;
  callId?: string | null;
  /** Default: newest first. */
  oldestFirst?: boolean | null;
}

/** Lists the approvals that a person can see, and says who can decide on each. */
@Injectable()
export class ApprovalInboxService {
  /** Loads those who can decide on a list of approvals together. */
  private readonly voterBatcher = new Batcher<{ tenantId: string; approval: Approval }, Voter[]>((tenantId, keys) =>
    this.database.tenant({ tenantId }, (tx) =>
      this.approvalEligibility.votersOfEach(
        tx,
        keys.map(({ approval }) => approval),
      ),
    ),
  );

  private readonly candidateBatcher = new Batcher<
    { tenantId: string; approval: Approval; viewerId: string },
    ApprovalCandidate[]
  >((tenantId, viewed) =>
    this.database.tenant({ tenantId }, (tx) => this.approvalCandidates.candidatesOfEach(tx, viewed)),
  );

  constructor(
    private readonly database: DatabaseService,
    private readonly approvalEligibility: ApprovalEligibilityService,
    private readonly approvalCandidates: ApprovalCandidatesService,
    private readonly approvalVisibility: ApprovalVisibilityService,
  ) {}

  async list(
    principal: Principal,
    args: PageArgs,
    { state, isPending, taskId, callId, oldestFirst }: ApprovalFilter = {},
  ): Promise<Page<Approval>> {
    requireSession(principal);
    return this.database.tenant(principal, async (tx) => {
      const query = await this.approvalVisibility.query(tx, principal);
      if (state) query.andWhere('approval.state = :state', { state });
      if (isPending) query.andWhere(`approval.state = 'pending'`);
      if (taskId) query.andWhere('approval.taskId = :taskId', { taskId });
      if (callId) query.andWhere('approval.callId = :callId', { callId });
      if (isPending === false) query.andWhere(`approval.state not in ('waiting', 'pending')`);
      return oldestFirst ? oldestFirstPage(query, args) : newestFirstPage(query, args);
    });
  }

  /** Earlier decisions on the same tool that the principal can see, newest first. */
  async listEarlier(principal: Principal, approval: Approval): Promise<Approval[]> {
    return (await this.listEarlierOfEach(principal, [approval]))[0];
  }

  /** The same for each approval, in their order. */
  async listEarlierOfEach(principal: Principal, approvals: readonly Approval[]): Promise<Approval[][]> {
    requireSession(principal);
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const laterIds = approvals.map(({ id }) => id);
      const viewer = await this.approvalVisibility.loadViewer(tx, principal);
      const pairs = viewer
        ? await tx.run(earlierVisibleApprovals, [tenantId, laterIds, viewer.memberId, viewer.groupIds])
        : await tx.run(earlierApprovals, [tenantId, laterIds]);
      const found = await tx.findBy(Approval, { tenantId, id: In([...new Set(pairs.map(({ id }) => id))]) });
      const byId = new Map(found.map((one) => [one.id, one]));
      const ids = Map.groupBy(pairs, ({ laterId }) => laterId);
      return approvals.map(({ id }) => (ids.get(id) ?? []).map((pair) => byId.get(pair.id)!));
    });
  }

  /** Whether the person can decide now: the approval is pending and not expired, and the person is eligible and has a vote left. */
  async canDecide(principal: Principal, approval: Approval): Promise<boolean> {
    const { memberId, tenantId } = requireSession(principal);
    if (approval.state !== 'pending' || approval.expiresAt <= new Date()) return false;
    return membersWhoCanApprove(approval, await this.voterBatcher.submit({ tenantId, approval })).includes(memberId);
  }

  /** Everyone named by the step of a pending approval, and why the ineligible ones cannot decide. */
  async candidates(principal: Principal, approval: Approval): Promise<ApprovalCandidate[]> {
    const { memberId, tenantId } = requireSession(principal);
    if (approval.state !== 'pending') return [];
    return this.candidateBatcher.submit({ tenantId, approval, viewerId: memberId });
  }
}
