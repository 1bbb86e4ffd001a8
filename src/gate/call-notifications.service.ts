import { Injectable, type OnModuleInit } from '@nestjs/common';
import { MembersService } from '../access/members.service.js';
import { NotificationSourceRegistry } from '../notifications/notification-source-registry.service.js';
import type { Tx } from '../platform/database/tx.js';
import { OutboxService } from '../platform/events/outbox.service.js';
import { quoteExternalText } from '../platform/text/quote-external-text.js';
import { ToolCall } from './tool-call.entity.js';

/** Publishes calls with an unknown outcome, and explains them in notifications. */
@Injectable()
export class CallNotificationsService implements OnModuleInit {
  constructor(
    private readonly sources: NotificationSourceRegistry,
    private readonly outbox: OutboxService,
    private readonly members: MembersService,
  ) {}

  onModuleInit(): void {
    this.sources.register(['call.unsettled'], async (tx, tenantId, _eventKind, { callId }) => {
      const call = await tx.findOneBy(ToolCall, { tenantId, id: String(callId), state: 'unsettled' });
      if (!call) return null;
      return {
        kind: 'unknown_outcome',
        title: `The outcome of a call is unknown: ${quoteExternalText(call.tool)}, requested by ${quoteExternalText(call.caller.name)}`,
        facts: [],
        path: call.taskId ? `/console/tasks/${encodeURIComponent(call.taskId)}` : '/console/tasks',
        recipients: (await this.members.listApprovers(tx, tenantId, null)).map(({ id }) => id),
      };
    });
  }

  publishUnsettled(tx: Tx, tenantId: string, calls: readonly Pick<ToolCall, 'id' | 'taskId'>[]): Promise<void> {
    const payloads = calls.map(({ id, taskId }) => ({ callId: id, taskId }));
    return this.outbox.writeAll(tx, tenantId, 'call.unsettled', payloads);
  }
}
