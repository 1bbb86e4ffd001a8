import { Injectable } from '@nestjs/common';
import { Approval } from '../approvals/approval.entity.js';
import { type ApprovalDecision } from '../approvals/approval-decision.port.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { CallReviewsService } from '../gate/call-reviews.service.js';
import type { InteractiveSlackChannel } from '../notifications/notification-channels.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { permissionsOfRoles } from '../principal/permissions.js';
import type { Principal } from '../principal/principal.js';
import { approveAction, denyAction, denyCallback, reasonField } from './slack-blocks.js';
import { contentHashOf } from './slack-content.js';
import { SlackDecisionMessage } from './slack-decision-message.entity.js';
import { SlackDecisionRulesService } from './slack-decision-rules.service.js';
import { SlackIdentitiesService } from './slack-identities.service.js';
import {
  type ButtonClick,
  parseSlackPayload,
  type SlackPayload,
  type SubmittedView,
  toSlackPayload,
} from './slack-payload.js';
import { errorInDialog, type SlackAnswer, SlackRepliesService } from './slack-replies.service.js';
import { type PayloadOrigin, SlackRequestsService, type SlackSocketOrigin } from './slack-requests.service.js';
import { isRecent, type SignedRequest } from './slack-signature.js';
import { slackDecisionRefused } from './slack.error.js';

const receivedBefore = 'This was received before. Open the approval in Countersign to see whether it was decided.';
const accountNotLinked = 'Link your Slack account on your account page in Countersign first.';

/** A decision that Slack reports, after the checks of the message and the member. */
interface ChatDecision {
  principal: Principal;
  message: SlackDecisionMessage;
  channel: InteractiveSlackChannel;
  slackUserId: string;
}

/**
 * Receives clicks on buttons of our messages in Slack. Whatever does not match exactly what was sent decides nothing, and
 * the person who clicked gets a short answer that only they see.
 */
@Injectable()
export class SlackInteractionsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly approvals: ApprovalsService,
    private readonly callReviews: CallReviewsService,
    private readonly rules: SlackDecisionRulesService,
    private readonly identities: SlackIdentitiesService,
    private readonly replies: SlackRepliesService,
    private readonly requests: SlackRequestsService,
  ) {}

  async receive(tenantId: string, request: SignedRequest): Promise<SlackAnswer> {
    const origin = await this.requests.authenticate(tenantId, request);
    const payload = parseSlackPayload(request.body);
    return payload && this.interact(origin, payload);
  }

  async receiveFromSocket(socket: SlackSocketOrigin, envelopeId: string, payload: unknown): Promise<SlackAnswer> {
    const parsed = toSlackPayload(payload);
    const origin = parsed && (await this.requests.acceptEnvelope(socket, envelopeId));
    if (origin) return this.interact(origin, parsed);
    // an answer without a text would close the dialog as if the decision were made
    return parsed?.type === 'view_submission' ? errorInDialog(receivedBefore) : null;
  }

  private async interact(origin: PayloadOrigin, payload: SlackPayload): Promise<SlackAnswer> {
    try {
      return payload.type === 'block_actions'
        ? await this.click(origin, payload)
        : await this.submitReason(origin, payload);
    } catch (error) {
      return this.replies.refuse(origin.channels, payload, error);
    }
  }

  private async click(origin: PayloadOrigin, click: ButtonClick): Promise<SlackAnswer> {
    const { container, actions, message, trigger_id } = click;
    const [{ action_id, value, action_ts }] = actions;
    const place = { slackChannelId: container.channel_id, ts: container.message_ts };
    const decision = await this.check(origin, click, place, value);
    // a signature has its own time
    if (origin.socket && !isRecent(action_ts)) throw slackDecisionRefused('The click is older than five minutes.');
    const attachments = message?.attachments;
    const hasAttachments = Array.isArray(attachments) ? attachments.length > 0 : Boolean(attachments);
    const contentHash = contentHashOf(message?.blocks);
    if (hasAttachments || contentHash === null || contentHash !== decision.message.contentHash)
      throw slackDecisionRefused('The message was changed after it was posted.');
    if (action_id === approveAction) await this.decide(origin, decision, 'approve');
    else if (action_id === denyAction) await this.replies.askForReason(decision.channel, decision.message, trigger_id);
    else throw slackDecisionRefused('The message has no such button.');
    return null;
  }

  private async submitReason(origin: PayloadOrigin, submitted: SubmittedView): Promise<SlackAnswer> {
    const { callback_id, private_metadata, state } = submitted.view;
    if (callback_id !== denyCallback) throw slackDecisionRefused('The dialog is unknown.');
    const [slackChannelId, ts, shownHash] = parseMetadata(private_metadata);
    const decision = await this.check(origin, submitted, { slackChannelId, ts }, shownHash);
    await this.decide(origin, decision, 'deny', state.values[reasonField]?.[reasonField]?.value ?? '');
    return null;
  }

  /** Workspace, app, message, shown arguments and member. */
  private async check(
    { channels, socket }: PayloadOrigin,
    { team, user, api_app_id }: SlackPayload,
    place: { slackChannelId: string; ts: string },
    shownHash: string,
  ): Promise<ChatDecision> {
    const [{ tenantId, slackTeamId }] = channels;
    if (team.id !== slackTeamId || (user.team_id ?? team.id) !== slackTeamId)
      throw slackDecisionRefused('Only members of the workspace of your organization can decide here.');
    return this.database.tenant({ tenantId }, async (tx) => {
      const messages = await tx.findBy(SlackDecisionMessage, { tenantId, ...place });
      const message = messages.find(({ channelId }) => channels.some(({ id }) => id === channelId));
      if (!message) throw slackDecisionRefused('This message does not request a decision.');
      const { slackAppId } = message;
      if (socket && (slackAppId === null || slackAppId !== socket.slackAppId))
        throw slackDecisionRefused('Another Slack app than the connected one posted this message.');
      if (slackAppId !== null && slackAppId !== api_app_id)
        throw slackDecisionRefused('The click was reported by another Slack app than the one that posted the message.');
      if (shownHash !== message.argumentsHash)
        throw slackDecisionRefused('The arguments are not the ones that the message shows.');
      const member = await this.identities.findMember(tx, tenantId, slackTeamId, user.id);
      if (!member) throw slackDecisionRefused(accountNotLinked);
      if (message.memberId !== null && message.memberId !== member.id)
        throw slackDecisionRefused('This message was sent to another member.');
      const channel = channels.find(({ id }) => id === message.channelId)!;
      return { principal: slackPrincipal(tenantId, member), message, channel, slackUserId: user.id };
    });
  }

  private async decide(
    { channels, socket }: PayloadOrigin,
    { principal, message, channel, slackUserId }: ChatDecision,
    decision: ApprovalDecision,
    reason?: string,
  ): Promise<void> {
    const { tenantId } = principal;
    const { approvalId: id, argumentsHash, definitionHash } = message;
    if (!principal.permissions.has('approvals:decide')) throw slackDecisionRefused('You may not decide on approvals.');
    const approval = await this.database.tenant({ tenantId }, (tx) => tx.findOneByOrFail(Approval, { tenantId, id }));
    const review = await this.callReviews.getOf(approval);
    if (review.argumentsHash !== argumentsHash || review.definitionHash !== definitionHash)
      throw slackDecisionRefused('The call is not the one that the message shows.');
    const obstacle = this.rules.findObstacleInCall(review);
    if (obstacle) throw slackDecisionRefused(obstacle);
    const decided = await this.approvals.decide(principal, id, decision, reason, {
      authorizeChat: async (tx, pending) => {
        // both may have changed since they were checked
        await this.requests.requireCurrent(tx, channel, socket);
        const member = await this.identities.findMember(tx, tenantId, channel.slackTeamId, slackUserId);
        if (member?.id !== principal.memberId) throw slackDecisionRefused(accountNotLinked);
        const found = await this.rules.findObstacle(tx, pending, socket ? [channel] : channels);
        if (found) throw slackDecisionRefused(found);
      },
    });
    if (decided.state === 'void') throw slackDecisionRefused(`The approval is void: ${decided.reason}`);
  }
}

function parseMetadata(text: string): string[] {
  try {
    const parts: unknown = JSON.parse(text);
    if (Array.isArray(parts) && parts.length === 3 && parts.every((part) => typeof part === 'string')) return parts;
  } catch {
    // not ours
  }
  throw slackDecisionRefused('The dialog is unknown.');
}

/** A member who decides in Slack. It has no session: only decisions that are authorized for a chat accept it. */
const slackPrincipal = (tenantId: string, { id, name, roles }: SlackMember): Principal => ({
  tenantId,
  kind: 'member',
  name,
  memberId: id,
  surface: 'slack',
  scopes: [],
  permissions: permissionsOfRoles(roles),
  chain: [],
});
type SlackMember = { id: string; name: string; roles: Parameters<typeof permissionsOfRoles>[0] };
