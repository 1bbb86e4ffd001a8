import { Injectable, type OnModuleInit } from '@nestjs/common';
import { ProposedChange } from '../access/administration/proposed-change.entity.js';
import { Member } from '../access/member.entity.js';
import { MembersService } from '../access/members.service.js';
import type { Tx } from '../platform/database/tx.js';
import { quoteExternalText } from '../platform/text/quote-external-text.js';
import { type NotificationContent, NotificationSourceRegistry } from './notification-source-registry.service.js';

/** Explains proposed changes in notifications: the title, never what would change. */
@Injectable()
export class ChangeNotificationsService implements OnModuleInit {
  constructor(
    private readonly sources: NotificationSourceRegistry,
    private readonly members: MembersService,
  ) {}

  onModuleInit(): void {
    this.sources.register(['change.proposed', 'change.closed'], async (tx, tenantId, eventKind, { changeId }) => {
      const change = await tx.findOneBy(ProposedChange, { tenantId, id: String(changeId) });
      if (!change) return null;
      return eventKind === 'change.proposed' ? this.describeOpen(tx, change) : this.describeClosed(tx, change);
    });
  }

  /** To every other administrator. */
  private async describeOpen(tx: Tx, change: ProposedChange): Promise<NotificationContent | null> {
    const { tenantId, state, proposedBy, expiresAt } = change;
    if (state !== 'open' || expiresAt <= new Date()) return null;
    const administrators = await this.members.listApprovers(tx, tenantId, null);
    return {
      kind: 'change_proposed',
      title: `A change waits for a second administrator: ${quoteExternalText(change.title)}`,
      path: pathOf(change),
      facts: [
        { label: 'Proposed by', value: await nameOf(tx, tenantId, proposedBy) },
        { label: 'Expires', value: `${expiresAt.toISOString().slice(0, 16).replace('T', ' ')} UTC` },
      ],
      recipients: administrators.flatMap(({ id }) => (id === proposedBy ? [] : [id])),
    };
  }

  /** To the administrator who proposed it. */
  private async describeClosed(tx: Tx, change: ProposedChange): Promise<NotificationContent | null> {
    const { tenantId, state, decidedBy, proposedBy } = change;
    if (state === 'open' || decidedBy === proposedBy) return null;
    return {
      kind: 'change_closed',
      title: `A change that you proposed ${closedTexts[state]}: ${quoteExternalText(change.title)}`,
      path: pathOf(change),
      facts: decidedBy ? [{ label: 'Decided by', value: await nameOf(tx, tenantId, decidedBy) }] : [],
      recipients: [proposedBy],
    };
  }
}

const closedTexts = {
  confirmed: 'was confirmed',
  declined: 'was declined',
  withdrawn: 'was withdrawn',
  outdated: 'is outdated',
  expired: 'has expired',
};

const pathOf = ({ id }: ProposedChange): string => `/console/organization/proposed-changes/${id}`;

async function nameOf(tx: Tx, tenantId: string, id: string): Promise<string> {
  const member = await tx.findOneBy(Member, { tenantId, id });
  return member ? quoteExternalText(member.name) : 'a former member';
}
