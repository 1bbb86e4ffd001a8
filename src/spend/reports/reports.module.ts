import { Module } from '@nestjs/common';
import { PeopleModule } from '../../people/people.module.js';
import { OwnUsageService } from './own-usage.service.js';
import { ReportPeopleResolver } from './report-people.resolver.js';
import { ReportPeopleService } from './report-people.service.js';
import { ReportQueryService } from './report-query.service.js';
import { FiguresResolver, ReportRowsResolver, ReportsResolver } from './reports.resolver.js';
import { ReportsService } from './reports.service.js';
import { RollupsService } from './rollups.service.js';
import { SeatsResolver } from './seats.resolver.js';
import { SeatsService } from './seats.service.js';
import { RollupMaintenanceService } from './rollup-maintenance.service.js';

/** Reports on the cost and usage of AI coding assistants. */
@Module({
  imports: [PeopleModule],
  providers: [
    OwnUsageService,
    RollupsService,
    RollupMaintenanceService,
    ReportQueryService,
    ReportsService,
    ReportsResolver,
    FiguresResolver,
    ReportRowsResolver,
    ReportPeopleService,
    ReportPeopleResolver,
    SeatsService,
    SeatsResolver,
  ],
  exports: [OwnUsageService, ReportQueryService, RollupsService],
})
export class ReportsModule {}
