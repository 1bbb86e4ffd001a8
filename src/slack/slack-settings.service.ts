import { Injectable } from '@nestjs/common';
import { requireSession } from '../access/sessions.service.js';
import { AuditService } from '../audit/audit.service.js';
import { NotificationChannelsService } from '../notifications/notification-channels.service.js';
import { Config } from '../platform/config/config.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Principal } from '../principal/principal.js';
import { SlackSettings } from './slack-settings.entity.js';
import { SlackSocketsService, type SlackSocketState } from './slack-sockets.service.js';

export interface SlackDecisionSettings {
  allowsDecisions: boolean;
  hasApp: boolean;
  requestUrl: string;
  /** Null: Slack sends signed requests. */
  socket: SlackSocketState | null;
}

/** Whether the organization allows decisions in Slack at all. */
@Injectable()
export class SlackSettingsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly config: Config,
    private readonly channels: NotificationChannelsService,
    private readonly sockets: SlackSocketsService,
  ) {}

  get(principal: Principal): Promise<SlackDecisionSettings> {
    const { tenantId } = principal;
    return this.database.tenant(principal, async (tx) => {
      const settings = await tx.findOneBy(SlackSettings, { tenantId });
      return {
        allowsDecisions: settings?.allowsDecisions ?? true,
        hasApp: (await this.channels.listInteractiveSlack(tx, tenantId)).length > 0,
        requestUrl: `${this.config.baseUrl}/slack/${tenantId}`,
        socket: await this.sockets.findState(tx, tenantId),
      };
    });
  }

  async setDecisions(principal: Principal, allowsDecisions: boolean): Promise<SlackDecisionSettings> {
    requireSession(principal);
    const { tenantId } = principal;
    await this.database.tenant(principal, async (tx) => {
      await tx.upsert(SlackSettings, { tenantId, allowsDecisions }, ['tenantId']);
      const kind = allowsDecisions ? 'tenant.slack_decisions_allowed' : 'tenant.slack_decisions_forbidden';
      await this.audit.record(tx, principal, { kind, subject: { type: 'tenant', id: tenantId } });
    });
    return this.get(principal);
  }
}
