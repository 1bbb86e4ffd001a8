import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { ConfigurationsModule } from '../configurations/configurations.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { DecisionTimesService } from './decision-times.service.js';
import { GovernanceReportsResolver } from './governance-reports.resolver.js';
import { GovernanceReportsService } from './governance-reports.service.js';
import { PolicyUsageService } from './policy-usage.service.js';
import { ReportExportsController } from './report-exports.controller.js';
import { ReportExportsService } from './report-exports.service.js';
import { ToolUsageService } from './tool-usage.service.js';

/** Reports on how calls are governed: decisions, policies, tools. */
@Module({
  imports: [AccessModule, ApprovalsModule, ConfigurationsModule, ConnectionsModule],
  controllers: [ReportExportsController],
  providers: [
    DecisionTimesService,
    PolicyUsageService,
    ToolUsageService,
    GovernanceReportsService,
    GovernanceReportsResolver,
    ReportExportsService,
  ],
})
export class GovernanceReportsModule {}
