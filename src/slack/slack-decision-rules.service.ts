import { Injectable } from '@nestjs/common';
import { MembersService } from '../access/members.service.js';
import { ApprovalEligibilityService } from '../approvals/approval-eligibility.service.js';
import { ApprovalStepsService } from '../approvals/approval-steps.service.js';
import type { Approval } from '../approvals/approval.entity.js';
import { CallReviewContextService } from '../gate/call-review-context.service.js';
import type { CallReview } from '../gate/call-review.entity.js';
import { CallReviewsService } from '../gate/call-reviews.service.js';
import {
  type InteractiveSlackChannel,
  NotificationChannelsService,
} from '../notifications/notification-channels.service.js';
import type { Tx } from '../platform/database/tx.js';
import { systemPrincipal } from '../principal/principal.js';
import { type DecisionText, decisionTextOf } from './slack-decision-text.js';
import { SlackSettings } from './slack-settings.entity.js';
import { SlackSocketsService } from './slack-sockets.service.js';

/** Says which approvals members can decide in Slack. Everything else is decided on the page. */
@Injectable()
export class SlackDecisionRulesService {
  constructor(
    private readonly steps: ApprovalStepsService,
    private readonly approvalEligibility: ApprovalEligibilityService,
    private readonly channels: NotificationChannelsService,
    private readonly members: MembersService,
    private readonly callReviews: CallReviewsService,
    private readonly callReviewContext: CallReviewContextService,
    private readonly sockets: SlackSocketsService,
  ) {}

  /** Why not, as far as it depends on the call, which never changes. */
  findObstacleInCall(review: CallReview): string | null {
    if (review.effect !== 'read' && review.effect !== 'write')
      return "Calls of destructive tools can't be decided in Slack.";
    if (this.callReviews.hasGuessedSecret(review))
      return "An argument looks like a secret, so this call can't be decided in Slack.";
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
   * Why not, or null. `channels`: the Slack apps that could have sent the request. A member who knows the signing secret
   * of one of them could decide in the name of an approver, and one who knows its token could change what approvers see.
   * One who knows the app-level token could receive and answer in place of the server what approvers enter.
   */
  async findObstacle(tx: Tx, approval: Approval, channels: readonly InteractiveSlackChannel[]): Promise<string | null> {
    const { tenantId, stepName, stepCount, quorum, decidableInSlack, requiresPasskey } = approval;
    const settings = await tx.findOneBy(SlackSettings, { tenantId });
    if (settings && !settings.allowsDecisions) return 'The organization does not allow decisions in Slack.';
    const step = await this.steps.find(tx, tenantId, stepName);
    if (!step?.decidableInSlack || !decidableInSlack || quorum > 1) return "This step can't be decided in Slack.";
    if (requiresPasskey || step.requiresPasskey)
      return "This step requires a passkey, so it can't be decided in Slack.";
    // one member who knows the signing secret could decide on all of them
    if (stepCount > 1) return "Calls that need several steps can't be decided in Slack.";
    const holders = [
      ...(await this.channels.listSecretHolders(tx, channels)),
      ...(await this.sockets.listHolders(tx, tenantId)),
    ];
    return this.findHolderObstacle(tx, approval, [...new Set(holders)]);
  }

  private async findHolderObstacle(tx: Tx, approval: Approval, holders: (string | null)[]): Promise<string | null> {
    const known = holders.filter((holder) => holder !== null);
    if (known.length < holders.length)
      return 'Countersign does not know who entered the secrets of the Slack app. Rotate them and add the app again.';
    const active = await this.members.filterActive(tx, approval.tenantId, known);
    if (known.some((holder) => !active.has(holder)))
      return 'A former member knows the secrets of the Slack app. Rotate them and add the app again.';
    for (const holder of known)
      if (!(await this.approvalEligibility.isIndependentOfRequesters(tx, approval, holder)))
        return 'A member who knows the secrets of the Slack app is a requester of this call, or a requester could use their account.';
    return null;
  }
}
