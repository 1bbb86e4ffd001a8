import { Injectable, type OnModuleInit } from '@nestjs/common';
import { MembersService } from '../access/members.service.js';
import {
  type NotificationContent,
  NotificationSourceRegistry,
} from '../notifications/notification-source-registry.service.js';
import type { Tx } from '../platform/database/tx.js';
import { quoteExternalText } from '../platform/text/quote-external-text.js';
import { AuditStream } from './audit-stream.entity.js';

export const streamFailed = 'audit_stream.failed';
export const streamRecovered = 'audit_stream.recovered';

/** Explains outages of audit streams in notifications. The texts of receivers stay on the page. */
@Injectable()
export class AuditStreamNotificationsService implements OnModuleInit {
  constructor(
    private readonly sources: NotificationSourceRegistry,
    private readonly members: MembersService,
  ) {}

  onModuleInit(): void {
    this.sources.register([streamFailed, streamRecovered], async (tx, tenantId, eventKind, { streamId }) => {
      const stream = await tx.findOneBy(AuditStream, { tenantId, id: String(streamId) });
      const isOut = eventKind === streamFailed;
      // paused in the meantime, or the state has changed again, which has its own notification
      if (!stream || stream.pausedAt || isOut !== (stream.outageNotifiedAt !== null)) return null;
      return this.describe(tx, stream, isOut);
    });
  }

  private async describe(tx: Tx, stream: AuditStream, isOut: boolean): Promise<NotificationContent> {
    const { tenantId, name, failingSince, stoppedAt } = stream;
    const problem = stoppedAt
      ? 'An audit stream stopped, because its receiver rejects an event'
      : 'An audit stream has been failing for an hour or longer';
    const administrators = await this.members.listApprovers(tx, tenantId, null);
    return {
      kind: 'audit_stream_failed',
      title: `${isOut ? problem : 'An audit stream works again'}: ${quoteExternalText(name)}`,
      facts: isOut && failingSince ? [{ label: 'Failing since', value: minuteOf(failingSince) }] : [],
      path: '/console/organization/audit-streams',
      recipients: administrators.map(({ id }) => id),
    };
  }
}

const minuteOf = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
