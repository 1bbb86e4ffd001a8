import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { ConfigurationsModule } from '../configurations/configurations.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { GateModule } from '../gate/gate.module.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { PermitProposalScheduler } from './permit-proposal-scheduler.service.js';
import { PermitProposalsResolver } from './permit-proposals.resolver.js';
import { PermitProposalsService } from './permit-proposals.service.js';
import { ProposalEvidenceService } from './proposal-evidence.service.js';
import { ProposalNamesService } from './proposal-names.service.js';

/** Suggests permits for calls that are always approved. */
@Module({
  imports: [AccessModule, ApprovalsModule, ConfigurationsModule, ConnectionsModule, GateModule, PoliciesModule],
  providers: [
    ProposalEvidenceService,
    PermitProposalScheduler,
    PermitProposalsService,
    ProposalNamesService,
    PermitProposalsResolver,
  ],
})
export class PermitProposalsModule {}
