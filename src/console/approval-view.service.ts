import { Injectable } from '@nestjs/common';
import type { ApprovalCandidate } from '../approvals/approval-candidate.entity.js';
import type { Approval } from '../approvals/approval.entity.js';
import type { ApprovalOverride } from '../approvals/approval-override.entity.js';
import { ApprovalOverridesService } from '../approvals/approval-overrides.service.js';
import { ApprovalPeopleService } from '../approvals/approval-people.service.js';
import { ApprovalInboxService } from '../approvals/approval-inbox.service.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import type { CallReview } from '../gate/call-review.entity.js';
import { CallReviewsService } from '../gate/call-reviews.service.js';
import type { ReviewedConnection } from '../gate/call-review-context.entity.js';
import { CallReviewContextService } from '../gate/call-review-context.service.js';
import type { Principal } from '../principal/principal.js';
import { type ApprovalProgress, ApprovalProgressService } from './approval-progress.service.js';

/** Null: a person whose data was erased. */
type PersonName = string | null;

/** An approval with everything that the page shows the approver. */
export interface ApprovalView extends ApprovalProgress {
  approval: Approval;
  callReview: CallReview;
  /** The arguments. Null: they cannot be decrypted. */
  canonical: string | null;
  requestedBy: PersonName[];
  approvedBy: { name: PersonName; substituteFor: { name: PersonName } | null }[];
  /** Undefined if there is no decision yet. */
  decider?: PersonName;
  /** The approver in whose place a substitute decided. */
  deciderFor: { name: PersonName } | null;
  /** Null: the approval was not overridden. */
  override: ApprovalOverride | null;
  /** Null: the administrators. */
  groupName: string | null;
  /** Null: the administrators. */
  escalationGroupName: string | null;
  configurationName: string | null;
  connection: ReviewedConnection | null;
  /** The person may decide now. */
  canDecide: boolean;
  /** The approvers that the step names, while it is pending. */
  candidates: ApprovalCandidate[];
  viewerId: string;
  /** Newest first. */
  earlier: EarlierDecision[];
}

export interface EarlierDecision {
  approval: Approval;
  decider?: PersonName;
  hasSameArguments: boolean;
}

@Injectable()
export class ApprovalViewService {
  constructor(
    private readonly approvals: ApprovalsService,
    private readonly inbox: ApprovalInboxService,
    private readonly people: ApprovalPeopleService,
    private readonly progress: ApprovalProgressService,
    private readonly callReviews: CallReviewsService,
    private readonly callReviewContext: CallReviewContextService,
    private readonly overrides: ApprovalOverridesService,
  ) {}

  async get(principal: Principal, id: string): Promise<ApprovalView> {
    const approval = await this.approvals.get(principal, id);
    const callReview = await this.callReviews.getOf(approval);
    const [
      progress,
      requestedBy,
      approvedBy,
      decider,
      deciderFor,
      groupName,
      escalationGroupName,
      configurationName,
      connection,
      isOpen,
      earlier,
      candidates,
      override,
    ] = await Promise.all([
      this.progress.load(principal, approval),
      this.people.requesters(approval),
      this.people.approvedBy(approval),
      this.decider(approval),
      this.people.deciderFor(approval),
      this.people.groupName(approval),
      this.people.escalationGroupName(approval),
      this.callReviewContext.configurationName(principal, callReview),
      this.callReviewContext.connection(principal, callReview),
      this.inbox.canDecide(principal, approval),
      this.earlier(principal, approval, callReview),
      this.inbox.candidates(principal, approval),
      this.overrides.find(approval),
    ]);
    const names = requestedBy.map(({ name }) => name);
    return {
      ...progress,
      approval,
      callReview,
      canonical: this.callReviews.findArguments(callReview),
      requestedBy: names,
      approvedBy,
      decider,
      deciderFor,
      groupName,
      escalationGroupName,
      configurationName,
      connection,
      canDecide: isOpen,
      earlier,
      candidates,
      override,
      viewerId: principal.memberId!,
    };
  }

  private async decider(approval: Approval): Promise<PersonName | undefined> {
    return (await this.people.decider(approval))?.name;
  }

  private async earlier(
    principal: Principal,
    approval: Approval,
    { argumentsHash }: CallReview,
  ): Promise<EarlierDecision[]> {
    const decided = await this.inbox.listEarlier(principal, approval);
    return Promise.all(
      decided.map(async (one) => ({
        approval: one,
        decider: await this.decider(one),
        hasSameArguments: (await this.callReviews.getOf(one)).argumentsHash === argumentsHash,
      })),
    );
  }
}
