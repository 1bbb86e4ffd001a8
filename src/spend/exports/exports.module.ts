import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module.js';
import { AuditModule } from '../../audit/audit.module.js';
import { ConnectionsModule } from '../../connections/connections.module.js';
import { PeopleModule } from '../../people/people.module.js';
import { ExportsService } from './exports.service.js';

/** Exports of usage and costs. */
@Module({
  imports: [AccessModule, AuditModule, ConnectionsModule, PeopleModule],
  providers: [ExportsService],
  exports: [ExportsService],
})
export class ExportsModule {}
