import { Module } from '@nestjs/common';
import { AuditModule } from '../../audit/audit.module.js';
import { ConnectionsModule } from '../../connections/connections.module.js';
import { EstateFactsModule } from '../../spend/estate-facts/estate-facts.module.js';
import { Approvals } from './approved/approvals.service.js';
import { ApprovalsResolver } from './approved/approvals.resolver.js';
import { ApprovedServers } from './approved/approved-servers.service.js';
import { Comparing } from './comparing/comparing.service.js';
import { OwnEstate } from './comparing/own-estate.service.js';
import { VendorView } from './comparing/vendor-view.service.js';
import { FindingsResolver } from './findings.resolver.js';
import { Findings } from './findings.service.js';
import { FindingsTable } from './judging/findings-table.service.js';
import { Judging } from './judging/judging.service.js';

/** What is wrong with how AI clients are configured. */
@Module({
  imports: [AuditModule, ConnectionsModule, EstateFactsModule],
  providers: [
    Approvals,
    ApprovalsResolver,
    ApprovedServers,
    Comparing,
    Findings,
    FindingsResolver,
    FindingsTable,
    Judging,
    OwnEstate,
    VendorView,
  ],
  exports: [Judging],
})
export class FindingsModule {}
