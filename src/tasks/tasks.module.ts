import { Module } from '@nestjs/common';
import { AgentModule } from '../agent/agent.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ConfigurationsModule } from '../configurations/configurations.module.js';
import { GateModule } from '../gate/gate.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { ConfigurationKind } from './delegation/configuration.kind.js';
import { Delegations } from './delegation/delegations.service.js';
import { ParentTasks } from './delegation/parent-tasks.service.js';
import { RemoteAgentKind } from './delegation/remote/remote-agent.kind.js';
import { RemoteAgents } from './delegation/remote/remote-agents.service.js';
import { RemoteDelegations } from './delegation/remote/remote-delegations.service.js';
import { RemoteExchange } from './delegation/remote/remote-exchange.service.js';
import { RemoteStreams } from './delegation/remote/remote-streams.service.js';
import { ShownArtifacts } from './delegation/remote/shown-artifacts.service.js';
import { RemoteReplies } from './delegation/remote/remote-replies.service.js';
import { InputModes } from './input-modes.service.js';
import { KeyUsage } from './key-usage.service.js';
import { MemberTasks } from './member-tasks.service.js';
import { OwnTasks } from './own-tasks.service.js';
import { RateLimits } from './rate-limits.service.js';
import { RequiredExtensions } from './required-extensions.service.js';
import { SubmitTaskResolver } from './submit-task.resolver.js';
import { TaskDetailsResolver } from './task-details.resolver.js';
import { TaskContent } from './task-content.service.js';
import { TaskFeed } from './task-feed.service.js';
import { TaskOwners } from './task-owners.service.js';
import { TaskQuarantine } from './task-quarantine.service.js';
import { TaskRows } from './task-rows.service.js';
import { TaskRunner } from './task-runner.service.js';
import { TaskSealing } from './task-sealing.service.js';
import { TaskStreams } from './task-streams.service.js';
import { TaskWork } from './task-work.service.js';
import { TasksResolver } from './tasks.resolver.js';
import { TasksService } from './tasks.service.js';

@Module({
  imports: [AgentModule, AuditModule, ConfigurationsModule, ConnectionsModule, GateModule],
  providers: [
    TasksService,
    OwnTasks,
    InputModes,
    RequiredExtensions,
    MemberTasks,
    KeyUsage,
    RateLimits,
    TaskContent,
    TaskSealing,
    TaskFeed,
    TaskOwners,
    TaskStreams,
    TaskQuarantine,
    TaskRows,
    TaskWork,
    TaskRunner,
    TasksResolver,
    SubmitTaskResolver,
    TaskDetailsResolver,
    ParentTasks,
    Delegations,
    ConfigurationKind,
    RemoteAgents,
    RemoteExchange,
    RemoteReplies,
    RemoteStreams,
    ShownArtifacts,
    RemoteDelegations,
    RemoteAgentKind,
  ],
  exports: [TasksService, OwnTasks, InputModes, RequiredExtensions, TaskOwners, MemberTasks, RateLimits, TaskStreams],
})
export class TasksModule {}
