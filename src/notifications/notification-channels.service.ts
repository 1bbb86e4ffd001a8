import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { IsNull, Not } from 'typeorm';
import { requireSession } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import { newId } from '../platform/crypto/ids.js';
import { MasterKeyMismatch, SealService } from '../platform/crypto/seal.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import type { Principal } from '../principal/principal.js';
import { DeliveryFailure } from './delivery-failure.js';
import { type ChannelKind, NotificationChannel } from './notification-channel.entity.js';
import type { NotificationKind } from './notification-kinds.js';
import { channelNotFound } from './notifications.error.js';
import { SlackApiClient } from './slack-api-client.service.js';
import { SlackSecretHoldersService } from './slack-secret-holders.service.js';

export interface NewNotificationChannel {
  name: string;
  kind: ChannelKind;
  kinds: NotificationKind[];
  /** Only approvals of these steps. Empty: of all. */
  stepNames?: string[];
  /** The URL of a webhook. */
  address?: string | null;
  /** The bot token of a Slack app. */
  token?: string | null;
  /** The channel of a Slack app. */
  slackChannel?: string | null;
  sendsDirectMessages?: boolean;
  /** The signing secret of a Slack app in which members can decide. */
  slackSigningSecret?: string | null;
}
/** A Slack app in which members can decide. */
export interface InteractiveSlackChannel extends NotificationChannel {
  sealedSigningSecret: Buffer;
  slackTeamId: string;
  createdBy: string;
}
export interface IssuedNotificationChannel {
  channel: NotificationChannel;
  signingSecret: string | null;
}

type ChannelRemovalHandler = (channel: NotificationChannel) => Promise<void>;
type SealedColumn = 'sealed_address' | 'sealed_secret' | 'sealed_signing_secret';

/** Destinations for many people. Their addresses and tokens are credentials: sealed, and never shown again. */
@Injectable()
export class NotificationChannelsService {
  private readonly removalHandlers: ChannelRemovalHandler[] = [];

  constructor(
    private readonly database: DatabaseService,
    private readonly seal: SealService,
    private readonly audit: AuditService,
    private readonly slack: SlackApiClient,
    private readonly secretHolders: SlackSecretHoldersService,
  ) {}

  /** `handler` runs before a channel is removed. */
  onRemoval(handler: ChannelRemovalHandler): void {
    this.removalHandlers.push(handler);
  }

  list(principal: Principal): Promise<NotificationChannel[]> {
    const { tenantId } = principal;
    return this.database.tenant(principal, (tx) =>
      tx.find(NotificationChannel, { where: { tenantId }, order: { name: 'ASC', id: 'ASC' } }),
    );
  }

  /** The signing secret of a webhook is shown only now. */
  async create(principal: Principal, input: NewNotificationChannel): Promise<IssuedNotificationChannel> {
    const { memberId } = requireSession(principal);
    const { tenantId } = principal;
    const id = newId();
    const { address, target, secret, signingSecret } = settingsOf(input);
    const slackTeamId = signingSecret && secret ? await this.teamOf(secret) : null;
    const channel: NotificationChannel = {
      tenantId,
      id,
      name: input.name.trim(),
      kind: input.kind,
      kinds: [...new Set(input.kinds)],
      stepNames: [...new Set(input.stepNames)],
      target,
      sendsDirectMessages: input.kind === 'slack' && (input.sendsDirectMessages ?? false),
      sealedAddress: address ? this.seal.seal(address, sealContextOf(id, 'sealed_address')) : null,
      sealedSecret: secret ? this.seal.seal(secret, sealContextOf(id, 'sealed_secret')) : null,
      sealedSigningSecret: signingSecret
        ? this.seal.seal(signingSecret, sealContextOf(id, 'sealed_signing_secret'))
        : null,
      slackTeamId,
      createdBy: memberId,
      createdAt: new Date(),
    };
    await this.database.tenant(principal, async (tx) => {
      if (slackTeamId) await this.requireSameTeam(tx, tenantId, slackTeamId);
      await tx.insert(NotificationChannel, channel);
      await this.rememberHolder(tx, channel);
      const { kind, kinds, stepNames, sendsDirectMessages } = channel;
      const detail = {
        kind,
        kinds,
        stepNames,
        target,
        sendsDirectMessages,
        ...(slackTeamId ? { slackTeamId } : {}),
      };
      await this.audit.record(tx, principal, { kind: 'notification_channel.created', ...subjectOf(channel), detail });
    });
    return { channel, signingSecret: input.kind === 'webhook' ? secret : null };
  }

  async remove(principal: Principal, id: string): Promise<NotificationChannel> {
    requireSession(principal);
    const { tenantId } = principal;
    const find = async (tx: Tx) => {
      const channel = await tx.findOneBy(NotificationChannel, { tenantId, id });
      if (!channel) throw channelNotFound('There is no such channel.');
      return channel;
    };
    const removed = await this.database.tenant(principal, find);
    for (const handler of this.removalHandlers) await handler(removed);
    return this.database.tenant(principal, async (tx) => {
      const channel = await find(tx);
      // a channel from before holders were stored
      await this.rememberHolder(tx, channel);
      await tx.delete(NotificationChannel, { tenantId, id });
      await this.audit.record(tx, principal, { kind: 'notification_channel.removed', ...subjectOf(channel) });
      return channel;
    });
  }

  /** The Slack apps of the organization in which members can decide, oldest first. All belong to one workspace. */
  async listInteractiveSlack(tx: Tx, tenantId: string): Promise<InteractiveSlackChannel[]> {
    const channels = await tx.find(NotificationChannel, {
      where: { tenantId, kind: 'slack', slackTeamId: Not(IsNull()) },
      order: { id: 'ASC' },
    });
    return channels as InteractiveSlackChannel[];
  }

  openSigningSecret({ id, sealedSigningSecret }: Pick<InteractiveSlackChannel, 'id' | 'sealedSigningSecret'>): string {
    return this.seal.open(sealedSigningSecret, sealContextOf(id, 'sealed_signing_secret')).toString();
  }

  /** Every member who entered the token or the signing secret of one of the apps. Null: an unknown member. */
  async listSecretHolders(tx: Tx, apps: readonly InteractiveSlackChannel[]): Promise<(string | null)[]> {
    const [{ tenantId }] = apps;
    const secrets = apps.flatMap((app) => this.slackSecretsOf(app) ?? []);
    const current = await tx.findBy(NotificationChannel, { tenantId, kind: 'slack' });
    const creators = current.flatMap((channel) => {
      const own = this.slackSecretsOf(channel);
      if (!own) return [null]; // it may be the same token
      return own.some((secret) => secrets.includes(secret)) ? [channel.createdBy] : [];
    });
    return [...new Set([...creators, ...(await this.secretHolders.list(tx, tenantId, secrets))])];
  }

  private async rememberHolder(tx: Tx, channel: NotificationChannel): Promise<void> {
    const secrets = (channel.kind === 'slack' && this.slackSecretsOf(channel)) || [];
    await this.secretHolders.add(tx, channel.tenantId, secrets, channel.createdBy);
  }

  /** Null: the master key was lost. */
  private slackSecretsOf(channel: NotificationChannel): string[] | null {
    const { sealedSigningSecret } = channel;
    try {
      const signingSecret = sealedSigningSecret && this.openSigningSecret({ ...channel, sealedSigningSecret });
      return [this.open(channel).secret, signingSecret].filter((secret) => !!secret) as string[];
    } catch (error) {
      if (error instanceof MasterKeyMismatch) return null;
      throw error;
    }
  }

  /** The workspace of a bot token. */
  private async teamOf(token: string): Promise<string> {
    try {
      const { team_id } = await this.slack.call(token, 'auth.test', {});
      if (team_id) return team_id;
    } catch (error) {
      if (!(error instanceof DeliveryFailure)) throw error;
      throw refusedSetting('token', `was not accepted: ${error.message}`);
    }
    throw refusedSetting('token', 'belongs to no workspace');
  }

  private async requireSameTeam(tx: Tx, tenantId: string, teamId: string): Promise<void> {
    const [other] = await this.listInteractiveSlack(tx, tenantId);
    if (other && other.slackTeamId !== teamId)
      throw refusedSetting('token', 'must belong to the workspace of the other Slack apps in which members can decide');
  }

  open({ id, sealedAddress, sealedSecret }: NotificationChannel): { address: string; secret: string } {
    const open = (sealed: Buffer | null, column: SealedColumn) =>
      sealed ? this.seal.open(sealed, sealContextOf(id, column)).toString() : '';
    return { address: open(sealedAddress, 'sealed_address'), secret: open(sealedSecret, 'sealed_secret') };
  }
}

const sealContextOf = (row: string, column: SealedColumn) => ({ table: 'notification_channels', column, row });
const subjectOf = ({ id, name }: NotificationChannel) => ({ subject: { type: 'notification_channel', id, name } });

const refusedSetting = (field: string, detail: string) =>
  invalidRequest('Check the settings of the channel.', { errors: [{ pointer: `/${field}`, detail }] });

function settingsOf({ kind, address, slackChannel, ...input }: NewNotificationChannel) {
  if (kind === 'slack') {
    const token = input.token?.trim();
    if (!token?.startsWith('xoxb-')) throw refusedSetting('token', 'must be a bot token, which starts with xoxb-');
    if (!slackChannel) throw refusedSetting('slackChannel', 'is missing');
    const signingSecret = input.slackSigningSecret?.trim().toLowerCase() || null;
    if (signingSecret && !/^[0-9a-f]{32}$/.test(signingSecret))
      throw refusedSetting('slackSigningSecret', 'must have 32 hexadecimal characters');
    return { address: null, target: slackChannel, secret: token, signingSecret };
  }
  if (!address || !URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw refusedSetting('address', 'must be a URL that starts with https:// or http://');
  const secret = kind === 'webhook' ? `whsec_${randomBytes(32).toString('base64')}` : null;
  return { address, target: new URL(address).host, secret, signingSecret: null };
}
