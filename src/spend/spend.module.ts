import { Module, type OnModuleInit } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ConnectionKinds } from '../connections/connection-kinds.service.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { Config } from '../platform/config/config.js';
import { BudgetsModule } from './budgets/budgets.module.js';
import { CursorApi } from './cursor/cursor-api.js';
import { cursorKind } from './cursor/cursor.kind.js';
import { cursorVendor } from './cursor/cursor.vendor.js';
import { ExportsController } from './exports/exports.controller.js';
import { ExportsModule } from './exports/exports.module.js';
import { PresentListController } from './people/lists/present-list.controller.js';
import { PeopleModule } from './people/people.module.js';
import { Calendar } from './pulls/calendar/calendar.service.js';
import { FeedLeases } from './pulls/feeds/leases.service.js';
import { MembersSync } from './pulls/members-sync.service.js';
import { Pulling } from './pulls/pulling.service.js';
import { FeedsResolver } from './pulls/shown/feeds.resolver.js';
import { Feeds } from './pulls/shown/feeds.service.js';
import { DaySwap } from './pulls/swap/day-swap.service.js';
import { ReportsModule } from './reports/reports.module.js';
import { SpendVendors } from './vendors.service.js';

/** What AI coding assistants cost and bring, per person and day. */
@Module({
  imports: [AccessModule, AuditModule, BudgetsModule, ConnectionsModule, ExportsModule, PeopleModule, ReportsModule],
  controllers: [ExportsController, PresentListController], // here, and not deeper: Express tries deeper rooms after the console
  providers: [SpendVendors, Calendar, FeedLeases, DaySwap, MembersSync, Pulling, Feeds, FeedsResolver],
  exports: [ReportsModule],
})
export class SpendModule implements OnModuleInit {
  constructor(
    private readonly config: Config,
    private readonly kinds: ConnectionKinds,
    private readonly vendors: SpendVendors,
  ) {}

  onModuleInit(): void {
    const api = new CursorApi(this.config.cursorUrl);
    this.kinds.register(cursorKind(api));
    this.vendors.register('cursor', cursorVendor(api));
  }
}
