import { Injectable } from '@nestjs/common';
import { ApprovalEligibilityService } from '../approvals/approval-eligibility.service.js';
import { ApprovalStepsService } from '../approvals/approval-steps.service.js';
import type { Approval } from '../approvals/approval.entity.js';
import { CallReviewContextService } from '../gate/call-review-context.service.js';
import type { CallReview } from '../gate/call-review.entity.js';
import { CallReviewsService } from '../gate/call-reviews.service.js';
import type { InteractiveSlackChannel } from '../notifications/notification-channels.service.js';
import type { Tx } from '../platform/database/tx.js';
import { systemPrincipal } from '../principal/principal.js';
import { type DecisionText, decisionTextOf } from './slack-decision-text.js';
import { SlackSettings } from './slack-settings.entity.js';

/** Says which approvals members can decide in Slack. Everything else is decided on the page. */
@Injectable()
export class SlackDecisionRulesService {
  constructor(
    private readonly steps: ApprovalStepsService,
    private readonly approvalEligibility: ApprovalEligibilityService,
    private readonly callReviews: CallReviewsService,
    private readonly callReviewContext: CallReviewContextService,
  ) {}

  /** Why not, as far as it depends on the call, which never changes. */
  findObstacleInCall(review: CallReview): string | null {
    if (review.effect !== 'read' && review.effect !== 'write')
      return 'Calls of destructive tools are not decided in Slack.';
    if (this.callReviews.hasGuessedSecret(review)) return 'A value of this call may be a secret.';
    return null;
  }

  /** What the message shows of the call, or null if the decision belongs on the page. */
  async textOf(tenantId: string, review: CallReview): Promise<DecisionText | null> {
    if (this.findObstacleInCall(review)) return null;
    const connection = await this.callReviewContext.connection(systemPrincipal(tenantId, 'slack'), review);
    const parts = connection?.destination.map(({ label, value }) => `${label}: ${value}`) ?? [];
    return decisionTextOf({ ...review, destination: connection ? [connection.name, ...parts] : [] });
  }

  /**
   * Why not, or null. `channels`: the Slack apps that could have sent the request. Who set one of them up knows its
   * signing secret, so a requester could otherwise decide in the name of an approver.
   */
  async findObstacle(tx: Tx, approval: Approval, channels: readonly InteractiveSlackChannel[]): Promise<string | null> {
    const { tenantId, stepName, quorum } = approval;
    const settings = await tx.findOneBy(SlackSettings, { tenantId });
    if (settings && !settings.allowsDecisions) return 'The organization does not allow decisions in Slack.';
    const step = await this.steps.find(tx, tenantId, stepName);
    if (!step?.decidableInSlack || quorum > 1) return 'This approval step is not decided in Slack.';
    for (const createdBy of new Set(channels.map((channel) => channel.createdBy)))
      if (!(await this.approvalEligibility.isIndependentOfRequesters(tx, approval, createdBy)))
        return 'The member who added the Slack app is a requester of this call, or a requester could use their account.';
    return null;
  }
}
