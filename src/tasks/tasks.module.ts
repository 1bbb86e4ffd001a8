import { Module } from '@nestjs/common';
import { AgentModule } from '../agent/agent.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ConfigurationsModule } from '../configurations/configurations.module.js';
import { GateModule } from '../gate/gate.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { LimitsModule } from '../limits/limits.module.js';
import { ConfigurationConnector } from './delegation/configuration.connector.js';
import { DelegationsService } from './delegation/delegations.service.js';
import { ParentTaskNotifier } from './parent-task-notifier.service.js';
import { RemoteAgentConnector } from './delegation/remote/remote-agent.connector.js';
import { AgentCardClient } from './delegation/remote/agent-card-client.service.js';
import { RemoteDelegationsService } from './delegation/remote/remote-delegations.service.js';
import { RemoteTaskService } from './delegation/remote/remote-task.service.js';
import { RemoteStreamsService } from './delegation/remote/remote-streams.service.js';
import { RemoteArtifactPublisher } from './delegation/remote/remote-artifact-publisher.service.js';
import { RemoteRepliesService } from './delegation/remote/remote-replies.service.js';
import { InputModesService } from './input-modes.service.js';
import { MemberTasksService } from './member-tasks.service.js';
import { OwnTasksService } from './own-tasks.service.js';
import { ReadableTasksService } from './readable-tasks.service.js';
import { RequiredExtensionsService } from './required-extensions.service.js';
import { SubmitTaskResolver } from './submit-task.resolver.js';
import { TaskDetailsResolver } from './task-details.resolver.js';
import { TaskCancellationService } from './task-cancellation.service.js';
import { TaskContentService } from './task-content.service.js';
import { TaskFeedService } from './task-feed.service.js';
import { TaskLimitsService } from './task-limits.service.js';
import { TaskOwnersService } from './task-owners.service.js';
import { TaskQuestionsService } from './task-questions.service.js';
import { TaskSearchService } from './task-search.service.js';
import { TaskQuarantineService } from './task-quarantine.service.js';
import { TaskRunRepository } from './task-run-repository.service.js';
import { TaskNotifier } from './task-notifier.service.js';
import { TaskClaimsService } from './task-claims.service.js';
import { TaskRetentionScheduler } from './task-retention-scheduler.service.js';
import { TaskRetryService } from './task-retry.service.js';
import { TaskWakeupService } from './task-wakeup.service.js';
import { TaskAttemptService } from './task-attempt.service.js';
import { TaskRunner } from './task-runner.service.js';
import { TaskStreamsService } from './task-streams.service.js';
import { TaskExecutor } from './task-executor.service.js';
import { TasksResolver } from './tasks.resolver.js';
import { TasksService } from './tasks.service.js';

@Module({
  imports: [AgentModule, AuditModule, ConfigurationsModule, ConnectionsModule, GateModule, LimitsModule],
  providers: [
    TasksService,
    ReadableTasksService,
    TaskCancellationService,
    OwnTasksService,
    InputModesService,
    RequiredExtensionsService,
    MemberTasksService,
    TaskContentService,
    TaskFeedService,
    TaskOwnersService,
    TaskStreamsService,
    TaskQuarantineService,
    TaskQuestionsService,
    TaskSearchService,
    TaskRunRepository,
    TaskAttemptService,
    TaskExecutor,
    TaskLimitsService,
    TaskNotifier,
    TaskClaimsService,
    TaskRetryService,
    TaskWakeupService,
    TaskRetentionScheduler,
    TaskRunner,
    TasksResolver,
    SubmitTaskResolver,
    TaskDetailsResolver,
    ParentTaskNotifier,
    DelegationsService,
    ConfigurationConnector,
    AgentCardClient,
    RemoteTaskService,
    RemoteRepliesService,
    RemoteStreamsService,
    RemoteArtifactPublisher,
    RemoteDelegationsService,
    RemoteAgentConnector,
  ],
  exports: [
    TasksService,
    ReadableTasksService,
    OwnTasksService,
    InputModesService,
    RequiredExtensionsService,
    TaskOwnersService,
    MemberTasksService,
    TaskStreamsService,
  ],
})
export class TasksModule {}
