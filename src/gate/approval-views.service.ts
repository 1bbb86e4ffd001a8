import { Injectable } from '@nestjs/common';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { ApproverActivityService } from '../approvals/approver-activity.service.js';
import type { Principal } from '../principal/principal.js';
import { CallReviewsService } from './call-reviews.service.js';
import { notAsShown } from './gate.error.js';

/** Records that approvers have the arguments of a call in front of them. */
@Injectable()
export class ApprovalViewsService {
  constructor(
    private readonly approvals: ApprovalsService,
    private readonly callReviews: CallReviewsService,
    private readonly approverActivity: ApproverActivityService,
  ) {}

  /** The hash proves that the arguments reached the person's browser. */
  async record(principal: Principal, approvalId: string, shownHash: string): Promise<boolean> {
    const approval = await this.approvals.get(principal, approvalId);
    const { argumentsHash } = await this.callReviews.getReadable(principal, approvalId);
    if (shownHash !== argumentsHash) throw notAsShown('Load the approval again: the arguments are other ones.');
    return this.approverActivity.recordView(principal, approval);
  }
}
