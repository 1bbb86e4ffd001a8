import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ApprovalExpiryScheduler } from './approval-expiry-scheduler.service.js';
import { ApprovalInboxService } from './approval-inbox.service.js';
import { ApprovalLinksService } from './approval-links.service.js';
import { ApprovalNotificationsService } from './approval-notifications.service.js';
import { ApprovalPeopleService } from './approval-people.service.js';
import { ApprovalEventsService } from './approval-events.service.js';
import { ApprovalStepsResolver } from './approval-steps.resolver.js';
import { ApprovalStepsService } from './approval-steps.service.js';
import { ApprovalsResolver } from './approvals.resolver.js';
import { ApprovalsService } from './approvals.service.js';
import { ApprovalEligibilityService } from './approval-eligibility.service.js';
import { ApprovalReachabilityScheduler } from './approval-reachability-scheduler.service.js';
import { ApprovalCandidatesService } from './approval-candidates.service.js';
import { ApprovalVisibilityService } from './approval-visibility.service.js';
import { DecidableApprovalsService } from './decidable-approvals.service.js';

@Module({
  imports: [AccessModule],
  providers: [
    ApprovalsService,
    ApprovalInboxService,
    ApprovalEligibilityService,
    ApprovalCandidatesService,
    ApprovalVisibilityService,
    ApprovalLinksService,
    ApprovalPeopleService,
    ApprovalEventsService,
    DecidableApprovalsService,
    ApprovalNotificationsService,
    ApprovalStepsService,
    ApprovalExpiryScheduler,
    ApprovalReachabilityScheduler,
    ApprovalsResolver,
    ApprovalStepsResolver,
  ],
  exports: [
    ApprovalsService,
    ApprovalEligibilityService,
    ApprovalInboxService,
    ApprovalLinksService,
    ApprovalPeopleService,
    ApprovalStepsService,
  ],
})
export class ApprovalsModule {}
