import { Module } from '@nestjs/common';
import { PeopleModule } from '../people/people.module.js';
import { OwnUsage } from './own-usage.service.js';
import { ReportReader } from './report-reader.service.js';
import { FiguresResolver, ReportRowsResolver, ReportsResolver } from './reports.resolver.js';
import { Reports } from './reports.service.js';
import { Rollups } from './rollups.service.js';
import { SeatsResolver } from './seats.resolver.js';
import { Seats } from './seats.service.js';
import { Settling } from './settling.service.js';

/** What AI coding assistants cost and bring, summed up. */
@Module({
  imports: [PeopleModule],
  providers: [
    OwnUsage,
    Rollups,
    Settling,
    ReportReader,
    Reports,
    ReportsResolver,
    FiguresResolver,
    ReportRowsResolver,
    Seats,
    SeatsResolver,
  ],
  exports: [OwnUsage, ReportReader, Rollups],
})
export class ReportsModule {}
