import { Injectable, type OnModuleInit } from '@nestjs/common';
import { MembersService } from '../../access/members.service.js';
import { NotificationSourceRegistry } from '../../notifications/notification-source-registry.service.js';
import { openCriticalFinding } from './finding-notifications.sql.js';

/** Explains critical findings in notifications: the rule, not the evidence. */
@Injectable()
export class FindingNotificationsService implements OnModuleInit {
  constructor(
    private readonly sources: NotificationSourceRegistry,
    private readonly members: MembersService,
  ) {}

  onModuleInit(): void {
    this.sources.register(
      ['estate.finding'],
      async (tx, tenantId, _eventKind, { findingId }) => {
        const finding = await tx.one(openCriticalFinding, [tenantId, String(findingId)]);
        if (!finding) return null;
        return {
          kind: 'critical_finding',
          title: `Critical finding in the configuration of an AI client: ${finding.rule}`,
          facts: [],
          path: `/console/estate/findings/${String(findingId)}`,
          recipients: (await this.members.listApprovers(tx, tenantId, null)).map(({ id }) => id),
        };
      },
      ({ severity }) => severity === 'critical',
    );
  }
}
