import { Injectable, type OnModuleInit } from '@nestjs/common';
import { IsNull } from 'typeorm';
import { MembersService } from '../access/members.service.js';
import {
  type NotificationContent,
  NotificationSourceRegistry,
} from '../notifications/notification-source-registry.service.js';
import type { Tx } from '../platform/database/tx.js';
import { quoteExternalText } from '../platform/text/quote-external-text.js';
import { Connection } from './connection.entity.js';
import { Tool } from './tool.entity.js';

/** Explains problems of integrations in notifications. Error texts of other systems stay on the page. */
@Injectable()
export class ConnectionNotificationsService implements OnModuleInit {
  constructor(
    private readonly sources: NotificationSourceRegistry,
    private readonly members: MembersService,
  ) {}

  onModuleInit(): void {
    this.sources.register(
      ['connection.state_changed', 'connection.sync_failed'],
      async (tx, tenantId, eventKind, { connectionId }) => {
        const connection = await findActive(tx, tenantId, String(connectionId));
        const isSync = eventKind === 'connection.sync_failed';
        if (!connection || (!isSync && connection.status !== 'failed')) return null;
        return this.toAdministrators(tx, tenantId, {
          kind: 'sync_failed',
          title: `${isSync ? 'A sync failed' : 'An integration does not work'}: ${quoteExternalText(connection.name)}`,
          path: `/console/integrations/${connection.id}/${isSync ? 'sync' : 'overview'}`,
        });
      },
    );
    this.sources.register(['tool.blocked'], async (tx, tenantId, _eventKind, { toolId }) => {
      const tool = await tx.findOneBy(Tool, { tenantId, id: String(toolId), goneAt: IsNull() });
      if (!tool?.isPendingReview || !(await findActive(tx, tenantId, tool.connectionId))) return null;
      return this.toAdministrators(tx, tenantId, {
        kind: 'tool_blocked',
        title: `A tool is blocked, because its definition changed: ${quoteExternalText(tool.name)}`,
        path: `/console/integrations/${tool.connectionId}/tools/${tool.id}`,
      });
    });
  }

  private async toAdministrators(
    tx: Tx,
    tenantId: string,
    content: Pick<NotificationContent, 'kind' | 'title' | 'path'>,
  ): Promise<NotificationContent> {
    const recipients = (await this.members.listApprovers(tx, tenantId, null)).map(({ id }) => id);
    return { ...content, facts: [], recipients };
  }
}

const findActive = (tx: Tx, tenantId: string, id: string): Promise<Connection | null> =>
  tx.findOneBy(Connection, { tenantId, id, removedAt: IsNull(), pausedAt: IsNull() });
