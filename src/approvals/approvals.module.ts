import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ApprovalAssertionsResolver } from './approval-assertions.resolver.js';
import { ApprovalEscalationScheduler } from './approval-escalation-scheduler.service.js';
import { ApprovalExpiryScheduler } from './approval-expiry-scheduler.service.js';
import { ApprovalInboxService } from './approval-inbox.service.js';
import { ApprovalLapsesService } from './approval-lapses.service.js';
import { ApprovalLinksService } from './approval-links.service.js';
import { ApprovalNotificationsService } from './approval-notifications.service.js';
import { ApprovalPasskeysService } from './approval-passkeys.service.js';
import { ApprovalOverridesService } from './approval-overrides.service.js';
import { ApprovalPeopleService } from './approval-people.service.js';
import { ApproverActivityService } from './approver-activity.service.js';
import { ApprovalEventsService } from './approval-events.service.js';
import { ApprovalStepChangesService } from './approval-step-changes.service.js';
import { ApprovalStepsResolver } from './approval-steps.resolver.js';
import { ApprovalStepsService } from './approval-steps.service.js';
import { ApprovalsResolver } from './approvals.resolver.js';
import { ApprovalsService } from './approvals.service.js';
import { ApprovalEligibilityService } from './approval-eligibility.service.js';
import { ApprovalReachabilityScheduler } from './approval-reachability-scheduler.service.js';
import { ApprovalCandidatesService } from './approval-candidates.service.js';
import { ApprovalDecidersService } from './approval-deciders.service.js';
import { ApprovalVisibilityService } from './approval-visibility.service.js';
import { ApprovalSequenceService } from './approval-sequence.service.js';
import { DecidableApprovalsService } from './decidable-approvals.service.js';
import { SubstituteNotificationScheduler } from './substitute-notification-scheduler.service.js';
import { SubstitutionsResolver } from './substitutions.resolver.js';
import { SubstitutionsService } from './substitutions.service.js';
import { PasskeyWarningsService } from './passkey-warnings.service.js';
import { BreakGlassNotificationsService } from './break-glass-notifications.service.js';
import {
  ApprovalOverrideFieldsResolver,
  ApprovalOverrideResolver,
  BreakGlassResolver,
} from './break-glass.resolver.js';
import { BreakGlassRightsService } from './break-glass-rights.service.js';
import { OverrideEligibilityService } from './override-eligibility.service.js';
import { NewApprovalsService } from './new-approvals.service.js';

@Module({
  imports: [AccessModule],
  providers: [
    ApprovalsService,
    ApprovalInboxService,
    ApprovalEligibilityService,
    NewApprovalsService,
    ApprovalSequenceService,
    ApprovalCandidatesService,
    ApprovalDecidersService,
    ApprovalVisibilityService,
    ApprovalLapsesService,
    ApprovalLinksService,
    ApprovalPasskeysService,
    PasskeyWarningsService,
    ApprovalPeopleService,
    ApprovalEventsService,
    DecidableApprovalsService,
    ApproverActivityService,
    ApprovalNotificationsService,
    ApprovalStepsService,
    ApprovalStepChangesService,
    ApprovalExpiryScheduler,
    ApprovalEscalationScheduler,
    ApprovalReachabilityScheduler,
    ApprovalsResolver,
    ApprovalAssertionsResolver,
    ApprovalStepsResolver,
    SubstitutionsService,
    SubstituteNotificationScheduler,
    SubstitutionsResolver,
    OverrideEligibilityService,
    ApprovalOverridesService,
    BreakGlassRightsService,
    BreakGlassNotificationsService,
    BreakGlassResolver,
    ApprovalOverrideFieldsResolver,
    ApprovalOverrideResolver,
  ],
  exports: [
    ApprovalsService,
    ApprovalDecidersService,
    ApprovalEligibilityService,
    ApprovalInboxService,
    ApprovalLapsesService,
    ApprovalLinksService,
    ApprovalPasskeysService,
    ApprovalOverridesService,
    ApprovalPeopleService,
    ApprovalSequenceService,
    ApprovalStepChangesService,
    ApprovalStepsService,
    ApproverActivityService,
    DecidableApprovalsService,
  ],
})
export class ApprovalsModule {}
