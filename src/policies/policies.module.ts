import { Module } from '@nestjs/common';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { ConfigurationPartsRegistry } from './configuration-parts-registry.service.js';
import { DecisionsService } from './decisions.service.js';
import { NarrowPermitsService } from './narrow-permits.service.js';
import { PoliciesResolver } from './policies.resolver.js';
import { PlannedPoliciesService } from './planned-policies.service.js';
import { PoliciesService } from './policies.service.js';
import { PolicyComparisonService } from './policy-comparison.service.js';
import { PolicyExplanationService } from './policy-explanation.service.js';
import { PolicyTextChecker } from './policy-text-checker.service.js';
import { ReplayDecisionsService } from './replay-decisions.service.js';
import { ReviewerStatusService } from './reviewer-status.service.js';
import { VocabularyService } from './vocabulary.service.js';

@Module({
  imports: [ApprovalsModule, ConnectionsModule],
  providers: [
    ConfigurationPartsRegistry,
    DecisionsService,
    NarrowPermitsService,
    PlannedPoliciesService,
    PoliciesService,
    PolicyComparisonService,
    PolicyExplanationService,
    PolicyTextChecker,
    ReplayDecisionsService,
    ReviewerStatusService,
    VocabularyService,
    PoliciesResolver,
  ],
  exports: [
    ConfigurationPartsRegistry,
    DecisionsService,
    NarrowPermitsService,
    PlannedPoliciesService,
    PoliciesService,
    PolicyExplanationService,
    ReplayDecisionsService,
  ],
})
export class PoliciesModule {}
