import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { requireSession } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import { newId } from '../platform/crypto/ids.js';
import { SealService } from '../platform/crypto/seal.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { invalidRequest } from '../platform/errors/general.error.js';
import type { Principal } from '../principal/principal.js';
import { type ChannelKind, NotificationChannel } from './notification-channel.entity.js';
import type { NotificationKind } from './notification-kinds.js';
import { channelNotFound } from './notifications.error.js';

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
}
export interface IssuedNotificationChannel {
  channel: NotificationChannel;
  signingSecret: string | null;
}

type SealedColumn = 'sealed_address' | 'sealed_secret';

/** Destinations for many people. Their addresses and tokens are credentials: sealed, and never shown again. */
@Injectable()
export class NotificationChannelsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly seal: SealService,
    private readonly audit: AuditService,
  ) {}

  list(principal: Principal): Promise<NotificationChannel[]> {
    const { tenantId } = principal;
    return this.database.tenant(principal, (tx) =>
      tx.find(NotificationChannel, { where: { tenantId }, order: { name: 'ASC', id: 'ASC' } }),
    );
  }

  /** The signing secret of a webhook is shown only now. */
  async create(principal: Principal, input: NewNotificationChannel): Promise<IssuedNotificationChannel> {
    requireSession(principal);
    const { tenantId } = principal;
    const id = newId();
    const { address, target, secret } = settingsOf(input);
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
      createdAt: new Date(),
    };
    await this.database.tenant(principal, async (tx) => {
      await tx.insert(NotificationChannel, channel);
      const { kind, kinds, stepNames, sendsDirectMessages } = channel;
      const detail = { kind, kinds, stepNames, target, sendsDirectMessages };
      await this.audit.record(tx, principal, { kind: 'notification_channel.created', ...subjectOf(channel), detail });
    });
    return { channel, signingSecret: input.kind === 'webhook' ? secret : null };
  }

  async remove(principal: Principal, id: string): Promise<NotificationChannel> {
    requireSession(principal);
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const channel = await tx.findOneBy(NotificationChannel, { tenantId, id });
      if (!channel) throw channelNotFound('There is no such channel.');
      await tx.delete(NotificationChannel, { tenantId, id });
      await this.audit.record(tx, principal, { kind: 'notification_channel.removed', ...subjectOf(channel) });
      return channel;
    });
  }

  open({ id, sealedAddress, sealedSecret }: NotificationChannel): { address: string; secret: string } {
    const open = (sealed: Buffer | null, column: SealedColumn) =>
      sealed ? this.seal.open(sealed, sealContextOf(id, column)).toString() : '';
    return { address: open(sealedAddress, 'sealed_address'), secret: open(sealedSecret, 'sealed_secret') };
  }
}

const sealContextOf = (row: string, column: SealedColumn) => ({ table: 'notification_channels', column, row });
const subjectOf = ({ id, name }: NotificationChannel) => ({ subject: { type: 'notification_channel', id, name } });

function settingsOf({ kind, address, token, slackChannel }: NewNotificationChannel) {
  const refuse = (field: string, detail: string) =>
    invalidRequest('The settings of the channel are incomplete.', { errors: [{ pointer: `/${field}`, detail }] });
  if (kind === 'slack') {
    if (!token?.startsWith('xoxb-')) throw refuse('token', 'must be a bot token, which starts with xoxb-');
    if (!slackChannel) throw refuse('slackChannel', 'is missing');
    return { address: null, target: slackChannel, secret: token };
  }
  if (!address || !URL.canParse(address) || !/^https?:$/.test(new URL(address).protocol))
    throw refuse('address', 'must be a URL that starts with https:// or http://');
  const secret = kind === 'webhook' ? `whsec_${randomBytes(32).toString('base64')}` : null;
  return { address, target: new URL(address).host, secret };
}
