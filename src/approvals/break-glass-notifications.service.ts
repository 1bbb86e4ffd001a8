import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Member } from '../access/member.entity.js';
import { MembersService } from '../access/members.service.js';
import {
  type NotificationContent,
  NotificationSourceRegistry,
} from '../notifications/notification-source-registry.service.js';
import type { Tx } from '../platform/database/tx.js';
import { quoteExternalText } from '../platform/text/quote-external-text.js';
import { Approval } from './approval.entity.js';

/** Notifies every administrator and every approver of the step of an override. The reason stays on the page. */
@Injectable()
export class BreakGlassNotificationsService implements OnModuleInit {
  constructor(
    private readonly sources: NotificationSourceRegistry,
    private readonly members: MembersService,
  ) {}

  onModuleInit(): void {
    this.sources.register(['approval.overridden'], async (tx, tenantId, _eventKind, { approvalId }) => {
      const approval = await tx.findOneBy(Approval, { tenantId, id: String(approvalId) });
      return approval?.overriddenBy ? this.describe(tx, approval, approval.overriddenBy) : null;
    });
  }

  private async describe(tx: Tx, approval: Approval, overriddenBy: string): Promise<NotificationContent> {
    const { tenantId, id, tool, stepName, approverGroupId, deciders, escalationDeciders } = approval;
    const member = await tx.findOneBy(Member, { tenantId, id: overriddenBy });
    const administrators = await this.members.listApprovers(tx, tenantId, null);
    const group = await this.members.listApprovers(tx, tenantId, approverGroupId);
    const active = await this.members.filterActive(tx, tenantId, [...deciders, ...escalationDeciders]);
    const concerned = [...administrators, ...group].map((one) => one.id);
    return {
      kind: 'break_glass',
      title: `A pending approval was overridden: ${quoteExternalText(tool)}`,
      path: `/approvals/${id}`,
      facts: [
        { label: 'Overridden by', value: member ? quoteExternalText(member.name) : 'a former member' },
        { label: 'Step', value: quoteExternalText(stepName) },
        { label: 'Next', value: 'Another member has to review it' },
      ],
      recipients: [...new Set([...concerned, ...active])].filter((one) => one !== overriddenBy),
    };
  }
}
