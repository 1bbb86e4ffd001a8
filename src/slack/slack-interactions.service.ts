import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { LessThan } from 'typeorm';
import { Approval } from '../approvals/approval.entity.js';
import { type ApprovalDecision } from '../approvals/approval-decision.port.js';
import { ApprovalsService } from '../approvals/approvals.service.js';
import { CallReviewsService } from '../gate/call-reviews.service.js';
import {
  type InteractiveSlackChannel,
  NotificationChannelsService,
} from '../notifications/notification-channels.service.js';
import { sha256 } from '../platform/crypto/digest.js';
import { isUniqueViolation } from '../platform/database/database-error.js';
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
import { SlackRefusalsService } from './slack-refusals.service.js';
import { type SlackAnswer, SlackRepliesService } from './slack-replies.service.js';
import { SlackRequest } from './slack-request.entity.js';
import { isRecent, isSignedBySlack, type SignedRequest } from './slack-signature.js';
import { SlackSocketsService } from './slack-sockets.service.js';
import { slackDecisionRefused, slackRequestRefused } from './slack.error.js';

/** Longer than Slack's signatures are accepted. */
const replayMemoryMs = 15 * 60 * 1000;

const accountNotLinked = 'Link your Slack account on your account page in Countersign first.';

/** The connection in socket mode that delivered a payload. Only Slack can send on it. */
export interface SlackSocketOrigin {
  tenantId: string;
  /** Of the token with which the connection was opened. */
  revision: string;
  /** The only app whose payloads Slack delivers there. */
  slackAppId: string;
}
/** Who sent a payload. */
interface PayloadOrigin {
  /** The Slack apps that signed the request; for a socket, all of the organization. */
  channels: InteractiveSlackChannel[];
  /** Null: a signed request. */
  socket: SlackSocketOrigin | null;
}
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
    private readonly channels: NotificationChannelsService,
    private readonly approvals: ApprovalsService,
    private readonly callReviews: CallReviewsService,
    private readonly rules: SlackDecisionRulesService,
    private readonly identities: SlackIdentitiesService,
    private readonly refusals: SlackRefusalsService,
    private readonly replies: SlackRepliesService,
    private readonly sockets: SlackSocketsService,
  ) {}

  async receive(tenantId: string, request: SignedRequest): Promise<SlackAnswer> {
    const channels = await this.authenticate(tenantId, request);
    const payload = parseSlackPayload(request.body);
    return payload && this.interact({ channels, socket: null }, payload);
  }

  async receiveFromSocket(socket: SlackSocketOrigin, envelopeId: string, payload: unknown): Promise<SlackAnswer> {
    const { tenantId } = socket;
    const parsed = toSlackPayload(payload);
    const channels = await this.database.tenant({ tenantId }, (tx) => this.channels.listInteractiveSlack(tx, tenantId));
    if (!parsed || !channels.length) return null;
    // Slack delivers an envelope again if it misses the acknowledgement
    if (!(await this.acceptOnce(tenantId, `envelope ${envelopeId}`))) return null;
    return this.interact({ channels, socket }, parsed);
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

  /** The Slack apps whose signing secret signed the request. A request is accepted once. */
  private async authenticate(tenantId: string, request: SignedRequest): Promise<InteractiveSlackChannel[]> {
    const all = isUUID(tenantId)
      ? await this.database.tenant({ tenantId }, (tx) => this.channels.listInteractiveSlack(tx, tenantId))
      : [];
    const signers = all.filter((channel) => isSignedBySlack(request, this.channels.openSigningSecret(channel)));
    if (!signers.length) {
      const reason = 'The request is not signed by a Slack app of this organization.';
      if (all.length) this.refusals.add(tenantId, reason);
      throw slackRequestRefused(reason);
    }
    if (!(await this.acceptOnce(tenantId, request.signature!))) {
      const reason = 'The request was received before.';
      this.refusals.add(tenantId, reason);
      throw slackRequestRefused(reason);
    }
    return signers;
  }

  /** Returns false if a request or an envelope with this mark was received before. */
  private async acceptOnce(tenantId: string, mark: string): Promise<boolean> {
    const signature = sha256(mark);
    const receivedAt = new Date();
    try {
      await this.database.tenant({ tenantId }, async (tx) => {
        await tx.delete(SlackRequest, { tenantId, receivedAt: LessThan(new Date(Date.now() - replayMemoryMs)) });
        await tx.insert(SlackRequest, { tenantId, signature, receivedAt });
      });
      return true;
    } catch (error) {
      if (isUniqueViolation(error, 'slack_requests_pkey')) return false;
      throw error;
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
        const apps = await this.channels.listInteractiveSlack(tx, tenantId);
        if (!apps.some((app) => app.id === channel.id)) throw slackDecisionRefused('The Slack app was removed.');
        const member = await this.identities.findMember(tx, tenantId, channel.slackTeamId, slackUserId);
        if (member?.id !== principal.memberId) throw slackDecisionRefused(accountNotLinked);
        if (socket && !(await this.sockets.isCurrent(tx, tenantId, socket.revision)))
          throw slackDecisionRefused('The app-level token was replaced or removed.');
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
