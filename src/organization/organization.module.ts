import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ConfigurationsModule } from '../configurations/configurations.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { OauthModule } from '../oauth/oauth.module.js';
import { PeopleModule } from '../people/people.module.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { SpendModule } from '../spend/spend.module.js';
import { ConfigFolderService } from './config-folder.service.js';
import { OrganizationChangesService } from './organization-changes.service.js';
import { OrganizationPartsService } from './organization-parts.service.js';
import { OrganizationPlanService } from './organization-plan.service.js';
import { OrganizationPreparationService } from './organization-preparation.service.js';
import { OrganizationProposalsService } from './organization-proposals.service.js';
import { OrganizationResolver } from './organization.resolver.js';
import { OrganizationRulesService } from './organization-rules.service.js';
import { OrganizationService } from './organization.service.js';
import { OrganizationStateService } from './organization-state.service.js';

/** The organization as documents: export, plan, apply. */
@Module({
  imports: [
    AccessModule,
    ApprovalsModule,
    AuditModule,
    ConfigurationsModule,
    ConnectionsModule,
    OauthModule,
    PeopleModule,
    PoliciesModule,
    SpendModule,
  ],
  providers: [
    OrganizationStateService,
    OrganizationPlanService,
    OrganizationPartsService,
    OrganizationRulesService,
    OrganizationChangesService,
    OrganizationPreparationService,
    OrganizationProposalsService,
    OrganizationService,
    ConfigFolderService,
    OrganizationResolver,
  ],
  exports: [ConfigFolderService, OrganizationService],
})
export class OrganizationModule {}
