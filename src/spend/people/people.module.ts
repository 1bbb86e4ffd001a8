import { Module } from '@nestjs/common';
import { AccessModule } from '../../access/access.module.js';
import { AuditModule } from '../../audit/audit.module.js';
import { Attribution } from './attribution.service.js';
import { Matching } from './matching.service.js';
import { MembersAsPeople } from './members-as-people.service.js';
import { Merging } from './merging.service.js';
import { Sight } from './sight.service.js';

/** Whose the usage is, and who may see single people. */
@Module({
  imports: [AccessModule, AuditModule],
  providers: [Attribution, Matching, MembersAsPeople, Merging, Sight],
  exports: [Attribution, Matching, Sight],
})
export class PeopleModule {}
