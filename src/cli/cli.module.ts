import { Module } from '@nestjs/common';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { ConfigurationsModule } from '../configurations/configurations.module.js';
import { GateModule } from '../gate/gate.module.js';
import { LimitsModule } from '../limits/limits.module.js';
import { OauthModule } from '../oauth/oauth.module.js';
import { RestModule } from '../rest/rest.module.js';
import { servedOperations } from '../rest/routes.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { ApprovalListController } from './approval-list.controller.js';
import { CliCallsController } from './cli-calls.controller.js';
import { CliConfigurationsController } from './cli-configurations.controller.js';
import { CLI_OPERATIONS, CliDescriptionController } from './cli-description.controller.js';
import { CliKnowledgeController } from './cli-knowledge.controller.js';
import { CliTasksController } from './cli-tasks.controller.js';
import { WhoamiController } from './whoami.controller.js';

const controllers = [
  WhoamiController,
  CliConfigurationsController,
  CliKnowledgeController,
  CliTasksController,
  CliCallsController,
  ApprovalListController,
];

/** The interface of the command line, for people in terminals: `{base_url}/cli`. */
@Module({
  imports: [ApprovalsModule, ConfigurationsModule, GateModule, LimitsModule, OauthModule, RestModule, TasksModule],
  controllers: [...controllers, CliDescriptionController],
  providers: [{ provide: CLI_OPERATIONS, useValue: servedOperations(controllers) }],
})
export class CliModule {}
