import { Injectable } from '@nestjs/common';
import { isUUID } from 'class-validator';
import { LessThan } from 'typeorm';
import {
  type InteractiveSlackChannel,
  NotificationChannelsService,
} from '../notifications/notification-channels.service.js';
import { sha256 } from '../platform/crypto/digest.js';
import { isUniqueViolation } from '../platform/database/database-error.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { SlackRefusalsService } from './slack-refusals.service.js';
import { SlackRequest } from './slack-request.entity.js';
import { isSignedBySlack, type SignedRequest } from './slack-signature.js';
import { SlackSocketsService } from './slack-sockets.service.js';
import { slackDecisionRefused, slackRequestRefused } from './slack.error.js';

/** Longer than Slack's signatures are accepted. */
const replayMemoryMs = 15 * 60 * 1000;

/** The connection in socket mode that delivered a payload. Only Slack can send on it. */
export interface SlackSocketOrigin {
  tenantId: string;
  /** Of the token with which the connection was opened. */
  revision: string;
  /** The only app whose payloads Slack delivers there. */
  slackAppId: string;
}
/** Who sent a payload. */
export interface PayloadOrigin {
  /** The Slack apps that signed the request; for a socket, all of the organization. */
  channels: InteractiveSlackChannel[];
  /** Null: a signed request. */
  socket: SlackSocketOrigin | null;
}
/** Authenticates what Slack sends, by its signature or by the connection, and accepts it once. */
@Injectable()
export class SlackRequestsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly channels: NotificationChannelsService,
    private readonly sockets: SlackSocketsService,
    private readonly refusals: SlackRefusalsService,
  ) {}

  /** The Slack apps whose signing secret signed the request. A request is accepted once. */
  async authenticate(tenantId: string, request: SignedRequest): Promise<PayloadOrigin> {
    const all = isUUID(tenantId) ? await this.listChannels(tenantId) : [];
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
    return { channels: signers, socket: null };
  }

  /** Null: it was received before, because Slack missed the acknowledgement, or the organization has no Slack app. */
  async acceptEnvelope(socket: SlackSocketOrigin, envelopeId: string): Promise<PayloadOrigin | null> {
    const channels = await this.listChannels(socket.tenantId);
    const isNew = channels.length > 0 && (await this.acceptOnce(socket.tenantId, `envelope ${envelopeId}`));
    return isNew ? { channels, socket } : null;
  }

  /** In the transaction of a decision: the app or the token may have changed since the payload was accepted. */
  async requireCurrent(
    tx: Tx,
    { id, tenantId }: InteractiveSlackChannel,
    socket: SlackSocketOrigin | null,
  ): Promise<void> {
    const apps = await this.channels.listInteractiveSlack(tx, tenantId);
    if (!apps.some((app) => app.id === id)) throw slackDecisionRefused('The Slack app was removed.');
    if (socket && !(await this.sockets.isCurrent(tx, tenantId, socket.revision)))
      throw slackDecisionRefused('The app-level token was replaced or removed.');
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

  private listChannels(tenantId: string): Promise<InteractiveSlackChannel[]> {
    return this.database.tenant({ tenantId }, (tx) => this.channels.listInteractiveSlack(tx, tenantId));
  }
}
