import { Module, type OnModuleInit } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ConnectorRegistry } from '../connections/connector-registry.service.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { Config } from '../platform/config/config.js';
import { BudgetsModule } from './budgets/budgets.module.js';
import { ClientUsageService } from './client-usage/client-usage.service.js';
import { CursorApi } from './cursor/cursor-api.js';
import { cursorConnector } from './cursor/cursor.connector.js';
import { cursorVendor } from './cursor/cursor.vendor.js';
import { ExportsController } from './exports/exports.controller.js';
import { ExportsModule } from './exports/exports.module.js';
import { PeopleModule } from '../people/people.module.js';
import { CoverageScheduler } from './sync/coverage/coverage-scheduler.service.js';
import { FeedLeasesService } from './sync/feeds/feed-leases.service.js';
import { FeedSyncEndsService } from './sync/feed-sync-ends.service.js';
import { FeedSyncRunner } from './sync/feed-sync-runner.service.js';
import { FeedSyncFactory } from './sync/feed-sync-factory.service.js';
import { MembersSyncService } from './sync/members-sync.service.js';
import { SpendSyncScheduler } from './sync/spend-sync-scheduler.service.js';
import { SpendFeedsResolver } from './sync/status/spend-feeds.resolver.js';
import { SpendFeedsService } from './sync/status/spend-feeds.service.js';
import { DayReplacementService } from './sync/day-replacement/day-replacement.service.js';
import { ReportsModule } from './reports/reports.module.js';
import { SpendVendorRegistry } from './spend-vendor-registry.service.js';

/** Cost and usage of AI coding assistants, per person and day. */
@Module({
  imports: [AccessModule, AuditModule, BudgetsModule, ConnectionsModule, ExportsModule, PeopleModule, ReportsModule],
  controllers: [ExportsController], // not in a submodule: Nest registers its routes after the console's
  providers: [
    ClientUsageService,
    SpendVendorRegistry,
    CoverageScheduler,
    FeedLeasesService,
    DayReplacementService,
    MembersSyncService,
    FeedSyncFactory,
    FeedSyncRunner,
    FeedSyncEndsService,
    SpendSyncScheduler,
    SpendFeedsService,
    SpendFeedsResolver,
  ],
  exports: [BudgetsModule, ReportsModule],
})
export class SpendModule implements OnModuleInit {
  constructor(
    private readonly config: Config,
    private readonly connectors: ConnectorRegistry,
    private readonly vendors: SpendVendorRegistry,
  ) {}

  onModuleInit(): void {
    const api = new CursorApi(this.config.cursorUrl);
    this.connectors.register(cursorConnector(api));
    this.vendors.register('cursor', cursorVendor(api));
  }
}
