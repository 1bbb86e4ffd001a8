import { Module } from '@nestjs/common';
import { PeopleModule } from '../people/people.module.js';
import { ReportReader } from './report-reader.service.js';
import { ReportRowsResolver, ReportsResolver } from './reports.resolver.js';
import { Reports } from './reports.service.js';
import { Rollups } from './rollups.service.js';
import { Settling } from './settling.service.js';

/** What AI coding assistants cost and bring, summed up. */
@Module({
  imports: [PeopleModule],
  providers: [Rollups, Settling, ReportReader, Reports, ReportsResolver, ReportRowsResolver],
  exports: [Rollups],
})
export class ReportsModule {}
