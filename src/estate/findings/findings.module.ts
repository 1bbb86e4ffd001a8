import { Module } from '@nestjs/common';
import { AuditModule } from '../../audit/audit.module.js';
import { ConnectionsModule } from '../../connections/connections.module.js';
import { PeopleModule } from '../../people/people.module.js';
import { EstateApprovalsService } from './estate-approvals.service.js';
import { EstateApprovalsResolver } from './estate-approvals.resolver.js';
import { ApprovedServersService } from './approved/approved-servers.service.js';
import { EstateComparisonService } from './comparison/estate-comparison.service.js';
import { CrossFileEvaluator } from './comparison/cross-file-evaluator.service.js';
import { VendorUsageEvaluator } from './comparison/vendor-usage-evaluator.service.js';
import { FindingNotificationsService } from './finding-notifications.service.js';
import { FindingsResolver } from './findings.resolver.js';
import { FindingsService } from './findings.service.js';
import { FindingsRepository } from './evaluation/findings-repository.service.js';
import { FindingEvaluationService } from './evaluation/finding-evaluation.service.js';

/** Findings: issues in the configuration of AI clients. */
@Module({
  imports: [AuditModule, ConnectionsModule, PeopleModule],
  providers: [
    EstateApprovalsService,
    EstateApprovalsResolver,
    ApprovedServersService,
    EstateComparisonService,
    FindingsService,
    FindingNotificationsService,
    FindingsResolver,
    FindingsRepository,
    FindingEvaluationService,
    CrossFileEvaluator,
    VendorUsageEvaluator,
  ],
  exports: [ApprovedServersService, FindingEvaluationService],
})
export class FindingsModule {}
