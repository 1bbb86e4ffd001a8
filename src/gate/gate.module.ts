import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { ConfigurationsModule } from '../configurations/configurations.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { CallAdmissionService } from './call-admission.service.js';
import { CallEditsService } from './call-edits.service.js';
import { CallVersionsService } from './call-versions.service.js';
import { EditedCallsService } from './edited-calls.service.js';
import { GrantedCallsService } from './granted-calls.service.js';
import { TaskGrantListingService } from './task-grant-listing.service.js';
import { ApprovalGrantResolver, TaskGrantsResolver } from './task-grants.resolver.js';
import { TaskGrantsService } from './task-grants.service.js';
import { ApprovalRequestService } from './approval-request.service.js';
import { BackgroundAdmissionService } from './background-admission.service.js';
import { BatchAdmissionService } from './batch-admission.service.js';
import { ApprovalViewsResolver } from './approval-views.resolver.js';
import { ApprovalViewsService } from './approval-views.service.js';
import { ApprovalCallResolver } from './approval-call.resolver.js';
import { BackgroundCallRunner } from './background-call-runner.service.js';
import { CallHistoryService } from './call-history.service.js';
import { CallsResolver } from './calls.resolver.js';
import { CallsService } from './calls.service.js';
import { CallCompletionService } from './call-completion.service.js';
import { CallSendingService } from './call-sending.service.js';
import { LapsedCallsService } from './lapsed-calls.service.js';
import { ExplainedCallersService } from './explained-callers.service.js';
import { ExplainedStepsService } from './explained-steps.service.js';
import { CallNotificationsService } from './call-notifications.service.js';
import { CallOutcomesService } from './call-outcomes.service.js';
import { CallExecutor } from './call-executor.service.js';
import { CallReviewResolver } from './call-review.resolver.js';
import { CallReviewContextService } from './call-review-context.service.js';
import { CallReviewsService } from './call-reviews.service.js';
import { GateService } from './gate.service.js';
import { CallAuditService } from './call-audit.service.js';
import { CallEvaluationService } from './call-evaluation.service.js';
import { CallExplanationResolver } from './call-explanation.resolver.js';
import { CallExplanationService } from './call-explanation.service.js';
import { ConfigurationAccessService } from './configuration-access.service.js';
import { ToolCatalog } from './tool-catalog.service.js';
import { CallStateWatcher } from './call-state-watcher.service.js';
import { OwnCallsService } from './own-calls.service.js';
import { CallElicitationService } from './call-elicitation.service.js';
import { CallRerunService } from './call-rerun.service.js';
import { RequestersService } from './requesters.service.js';
import { CallRetryService } from './call-retry.service.js';
import { CallSettlementService } from './call-settlement.service.js';
import { TaskWithdrawalService } from './task-withdrawal.service.js';
import { TaskFence } from './task-fence.service.js';
import { CallDispatchService } from './call-dispatch.service.js';
import { PolicyReplayResolver } from './policy-replay.resolver.js';
import { PolicyReplayService } from './policy-replay.service.js';
import { PolicyShadowScheduler } from './policy-shadow-scheduler.service.js';
import { PolicyShadowsResolver } from './policy-shadows.resolver.js';
import { PolicyShadowsService } from './policy-shadows.service.js';
import { RecordedCallsService } from './recorded-calls.service.js';
import { DecisionHandler } from './decision-handler.service.js';

@Module({
  imports: [AccessModule, ConnectionsModule, PoliciesModule, ApprovalsModule, ConfigurationsModule],
  providers: [
    GateService,
    CallNotificationsService,
    CallsService,
    OwnCallsService,
    ConfigurationAccessService,
    ToolCatalog,
    CallEvaluationService,
    CallAdmissionService,
    BatchAdmissionService,
    BackgroundAdmissionService,
    ApprovalRequestService,
    TaskFence,
    TaskWithdrawalService,
    CallRetryService,
    CallDispatchService,
    CallCompletionService,
    CallSendingService,
    CallOutcomesService,
    CallExecutor,
    LapsedCallsService,
    CallElicitationService,
    CallStateWatcher,
    CallRerunService,
    RequestersService,
    DecisionHandler,
    CallSettlementService,
    BackgroundCallRunner,
    CallAuditService,
    CallVersionsService,
    CallEditsService,
    EditedCallsService,
    GrantedCallsService,
    TaskGrantsService,
    TaskGrantListingService,
    TaskGrantsResolver,
    ApprovalGrantResolver,
    CallHistoryService,
    CallsResolver,
    ApprovalCallResolver,
    ApprovalViewsService,
    ApprovalViewsResolver,
    CallReviewResolver,
    CallReviewsService,
    CallReviewContextService,
    RecordedCallsService,
    PolicyReplayService,
    PolicyReplayResolver,
    PolicyShadowsService,
    PolicyShadowScheduler,
    PolicyShadowsResolver,
    ExplainedCallersService,
    ExplainedStepsService,
    CallExplanationService,
    CallExplanationResolver,
  ],
  exports: [
    GateService,
    CallsService,
    CallReviewsService,
    CallReviewContextService,
    ConfigurationAccessService,
    OwnCallsService,
    TaskGrantListingService,
  ],
})
export class GateModule {}
