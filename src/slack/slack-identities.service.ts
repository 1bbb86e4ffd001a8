import { randomInt } from 'node:crypto';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import { MemberRemovalHookRegistry } from '../access/member-removal-hook-registry.service.js';
import { Member } from '../access/member.entity.js';
import { requireFresh, requireSession } from '../access/sessions.service.js';
import { Tenant } from '../access/tenant.entity.js';
import { AuditService } from '../audit/audit.service.js';
import {
  type InteractiveSlackChannel,
  NotificationChannelsService,
} from '../notifications/notification-channels.service.js';
import { DeliveryFailure, SlackApiClient } from '../notifications/slack-api-client.service.js';
import { constantTimeEqual, sha256 } from '../platform/crypto/digest.js';
import { isUniqueViolation } from '../platform/database/database-error.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import { RateLimit } from '../platform/limits/rate-limit.js';
import { quoteExternalText } from '../platform/text/quote-external-text.js';
import type { Principal } from '../principal/principal.js';
import { SlackIdentity } from './slack-identity.entity.js';
import { SlackLinkCode } from './slack-link-code.entity.js';
import { slackLinkRefused } from './slack.error.js';

const codeLength = 8;
/** Without letters and digits that look alike. */
const codeAlphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const codeMs = 10 * 60 * 1000;
const maxAttempts = 5;
const maxCodesPerWindow = 5;

export interface SlackAccountStatus {
  isAvailable: boolean;
  slackUserId: string | null;
  linkedAt: Date | null;
}

/**
 * Links members to their Slack accounts. The app sends a code to the account with the member's email address, and the
 * member enters it in the session that requested it: so one person controls both.
 */
@Injectable()
export class SlackIdentitiesService implements OnModuleInit {
  private readonly codes = new RateLimit({ windowMs: codeMs });

  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly channels: NotificationChannelsService,
    private readonly slack: SlackApiClient,
    private readonly removalHooks: MemberRemovalHookRegistry,
  ) {}

  onModuleInit(): void {
    this.removalHooks.register(async (tx, { tenantId }, memberId) => {
      await tx.delete(SlackIdentity, { tenantId, memberId });
      await tx.delete(SlackLinkCode, { tenantId, memberId });
    });
  }

  get(principal: Principal): Promise<SlackAccountStatus> {
    const { tenantId, memberId } = requireSession(principal);
    return this.database.tenant(principal, async (tx) => {
      const [channel] = await this.channels.listInteractiveSlack(tx, tenantId);
      const identity = await tx.findOneBy(SlackIdentity, { tenantId, memberId });
      const isLinked = identity && identity.slackTeamId === channel?.slackTeamId;
      return {
        isAvailable: channel !== undefined,
        slackUserId: isLinked ? identity.slackUserId : null,
        linkedAt: isLinked ? identity.linkedAt : null,
      };
    });
  }

  async requestCode(principal: Principal): Promise<SlackAccountStatus> {
    const { tenantId, memberId, sessionId } = requireFresh(principal);
    if (this.codes.secondsToWait(memberId, maxCodesPerWindow))
      throw slackLinkRefused('Too many codes were requested. Try again in ten minutes.');
    const { channel, member, tenant } = await this.database.tenant(principal, async (tx) => ({
      channel: (await this.channels.listInteractiveSlack(tx, tenantId)).at(0),
      member: await tx.findOneByOrFail(Member, { tenantId, id: memberId }),
      tenant: await tx.findOneByOrFail(Tenant, { id: tenantId }),
    }));
    if (!channel) throw slackLinkRefused('No Slack app of your organization allows decisions.');
    const slackUserId = await this.findUser(channel, member.email);
    const code = Array.from({ length: codeLength }, () => codeAlphabet[randomInt(codeAlphabet.length)]).join('');
    await this.database.tenant(principal, async (tx) => {
      const row = {
        tenantId,
        memberId,
        sessionId,
        slackTeamId: channel.slackTeamId,
        slackUserId,
        codeHash: sha256(code),
        attempts: 0,
        expiresAt: new Date(Date.now() + codeMs),
      };
      await tx.upsert(SlackLinkCode, row, ['tenantId', 'memberId']);
      await this.record(tx, principal, 'member.slack_code_sent', { slackUserId });
    });
    const owner = `${quoteExternalText(member.name)} of ${quoteExternalText(tenant.name)}`;
    await this.call(channel, 'chat.postMessage', { channel: slackUserId, ...codeMessage(code, owner) });
    return this.get(principal);
  }

  async confirm(principal: Principal, code: string): Promise<SlackAccountStatus> {
    const { tenantId, memberId, sessionId } = requireSession(principal);
    const isLinked = await this.database.tenant(principal, async (tx) => {
      const sent = await tx.findOne(SlackLinkCode, {
        where: { tenantId, memberId, sessionId },
        lock: { mode: 'pessimistic_write' },
      });
      if (!sent || sent.expiresAt <= new Date() || sent.attempts >= maxAttempts) return false;
      if (!constantTimeEqual(sha256(code.trim().toUpperCase()), sent.codeHash)) {
        await tx.update(SlackLinkCode, { tenantId, memberId }, { attempts: sent.attempts + 1 });
        return false;
      }
      const { slackTeamId, slackUserId } = sent;
      await tx.delete(SlackLinkCode, { tenantId, memberId });
      const identity = { tenantId, memberId, slackTeamId, slackUserId, linkedAt: new Date() };
      await tx.upsert(SlackIdentity, identity, ['tenantId', 'memberId']).catch((error: unknown) => {
        throw isUniqueViolation(error, 'slack_identities_one_member')
          ? slackLinkRefused('Another member has linked this Slack account.')
          : error;
      });
      await this.record(tx, principal, 'member.slack_linked', { slackTeamId, slackUserId });
      return true;
    });
    if (!isLinked) throw slackLinkRefused('The code is wrong or has expired.');
    return this.get(principal);
  }

  async unlink(principal: Principal): Promise<SlackAccountStatus> {
    const { tenantId, memberId } = requireSession(principal);
    await this.database.tenant(principal, async (tx) => {
      const { affected } = await tx.delete(SlackIdentity, { tenantId, memberId });
      if (affected) await this.record(tx, principal, 'member.slack_unlinked', {});
    });
    return this.get(principal);
  }

  /** The active member who linked this Slack account. */
  async findMember(tx: Tx, tenantId: string, slackTeamId: string, slackUserId: string): Promise<Member | null> {
    const identity = await tx.findOneBy(SlackIdentity, { tenantId, slackTeamId, slackUserId });
    return identity && tx.findOneBy(Member, { tenantId, id: identity.memberId, status: 'active' });
  }

  async findSlackUserId(tx: Tx, { tenantId, slackTeamId }: InteractiveSlackChannel, memberId: string) {
    return (await tx.findOneBy(SlackIdentity, { tenantId, memberId, slackTeamId }))?.slackUserId ?? null;
  }

  private async findUser(channel: InteractiveSlackChannel, email: string): Promise<string> {
    const { user } = await this.call(channel, 'users.lookupByEmail', { email });
    if (!user) throw slackLinkRefused('Slack has no account with your email address.');
    return user.id;
  }

  private async call(channel: InteractiveSlackChannel, method: string, body: Record<string, unknown>) {
    try {
      return await this.slack.call(this.channels.open(channel).secret, method, body);
    } catch (error) {
      if (error instanceof DeliveryFailure) throw slackLinkRefused(error.message);
      throw error;
    }
  }

  private record(tx: Tx, principal: Principal, kind: string, detail: Record<string, unknown>): Promise<void> {
    const subject = { type: 'member', id: principal.memberId!, name: principal.name };
    return this.audit.record(tx, principal, { kind, subject, detail });
  }
}

const codeMessage = (code: string, owner: string) => {
  const text = `Code: ${code}\nIt links your Slack account to the Countersign account of ${owner}, so that you can decide on approvals here. Enter it only if this is you, on the page where you requested it. It is valid for ten minutes.`;
  return {
    text: 'Code to link your Slack account',
    unfurl_links: false,
    unfurl_media: false,
    blocks: [{ type: 'section', text: { type: 'plain_text', text, emoji: false } }],
  };
};
