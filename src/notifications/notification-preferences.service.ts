import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { requireSession } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import { NotificationChannel } from './notification-channel.entity.js';
import { allNotificationKinds, type NotificationKind } from './notification-kinds.js';
import { NotificationPreference } from './notification-preference.entity.js';
import { EmailSenderService } from './senders/email-sender.service.js';

export interface MemberNotificationChoice {
  email: NotificationKind[];
  directMessage: NotificationKind[];
}

@Injectable()
export class NotificationPreferencesService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly emailSender: EmailSenderService,
  ) {}

  get(principal: Principal) {
    const { memberId } = requireSession(principal);
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => ({
      ...(await this.ofMembers(tx, tenantId, [memberId])).get(memberId)!,
      emailAvailable: this.emailSender.isConfigured,
      directMessageAvailable: await tx.existsBy(NotificationChannel, { tenantId, sendsDirectMessages: true }),
    }));
  }

  async update(principal: Principal, choice: MemberNotificationChoice) {
    const { memberId } = requireSession(principal);
    const values = { email: [...new Set(choice.email)], directMessage: [...new Set(choice.directMessage)] };
    await this.database.tenant(principal, async (tx) => {
      await tx.upsert(NotificationPreference, { tenantId: principal.tenantId, memberId, ...values }, [
        'tenantId',
        'memberId',
      ]);
      const subject = { type: 'member', id: memberId, name: principal.name };
      await this.audit.record(tx, principal, { kind: 'member.notifications_changed', subject, detail: values });
    });
    return this.get(principal);
  }

  /** By default, everything that concerns a member reaches them by email. */
  async ofMembers(
    tx: Tx,
    tenantId: string,
    memberIds: readonly string[],
  ): Promise<Map<string, MemberNotificationChoice>> {
    const rows = await tx.findBy(NotificationPreference, { tenantId, memberId: In([...memberIds]) });
    const chosen = new Map(rows.map((row) => [row.memberId, row]));
    const standard = { email: allNotificationKinds, directMessage: [] };
    return new Map(memberIds.map((id) => [id, chosen.get(id) ?? standard]));
  }
}
