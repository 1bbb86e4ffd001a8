import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Interval } from '@nestjs/schedule';
import { AuditService } from '../audit/audit.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { systemPrincipal } from '../principal/principal.js';

interface SlackRefusals {
  count: number;
  reasons: Set<string>;
  slackUserIds: Set<string>;
}

const flushIntervalMs = 10_000;
const maxTenants = 1000;
const maxDetails = 10;

/**
 * Records refused requests of Slack in the tenant's audit log. At most one event per tenant and process every ten
 * seconds, so that many refusals do not cause many events.
 */
@Injectable()
export class SlackRefusalsService implements OnModuleDestroy {
  private readonly refusals = new Map<string, SlackRefusals>();

  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly log: LogService,
  ) {}

  async onModuleDestroy(): Promise<void> {
    await this.flushOrLog();
  }

  add(tenantId: string, reason: string, slackUserId?: string): void {
    const known = this.refusals.get(tenantId);
    if (!known && this.refusals.size >= maxTenants) return;
    const refusals = known ?? { count: 0, reasons: new Set(), slackUserIds: new Set() };
    refusals.count++;
    if (refusals.reasons.size < maxDetails) refusals.reasons.add(reason);
    if (slackUserId && refusals.slackUserIds.size < maxDetails) refusals.slackUserIds.add(slackUserId);
    this.refusals.set(tenantId, refusals);
  }

  /** Writes the refusals collected since the last flush. */
  async flush(): Promise<void> {
    for (const [tenantId, { count, reasons, slackUserIds }] of [...this.refusals]) {
      this.refusals.delete(tenantId);
      const principal = systemPrincipal(tenantId, 'slack');
      const detail = { count, reasons: [...reasons], slackUserIds: [...slackUserIds] };
      const subject = { type: 'tenant', id: tenantId };
      await this.database.tenant(principal, (tx) =>
        this.audit.record(tx, principal, { kind: 'slack.requests_refused', subject, detail }),
      );
    }
  }

  @Interval(flushIntervalMs)
  protected async flushOrLog(): Promise<void> {
    await this.flush().catch((error: unknown) =>
      this.log.error({ err: error }, 'refused requests of Slack could not be recorded'),
    );
  }
}
