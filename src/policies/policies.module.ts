import { Module } from '@nestjs/common';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { Bundles } from './bundles.service.js';
import { DecisionsService } from './decisions.service.js';
import { PoliciesResolver } from './policies.resolver.js';
import { PoliciesService } from './policies.service.js';
import { TextChecks } from './text-checks.service.js';
import { VocabularyService } from './vocabulary.service.js';

@Module({
  imports: [ApprovalsModule, ConnectionsModule],
  providers: [Bundles, DecisionsService, PoliciesService, TextChecks, VocabularyService, PoliciesResolver],
  exports: [Bundles, DecisionsService, PoliciesService],
})
export class PoliciesModule {}
