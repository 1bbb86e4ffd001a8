import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ApprovalsModule } from '../approvals/approvals.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { GateModule } from '../gate/gate.module.js';
import { OauthModule } from '../oauth/oauth.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { UpstreamAccountsModule } from '../upstream-accounts/upstream-accounts.module.js';
import { ApprovalProgressService } from './approval-progress.service.js';
import { ApprovalViewService } from './approval-view.service.js';
import { ApprovalTaskResolver } from './approval-task.resolver.js';
import { ApprovalsController } from './approvals.controller.js';
import { AuditExportController } from './audit-export.controller.js';
import { AssistantsIndexController } from './assistants-index.controller.js';
import { AssistantsController } from './assistants.controller.js';
import { ConsoleEventReader } from './events/console-event-reader.service.js';
import { ConsoleStreamsService } from './events/console-streams.service.js';
import { EventsController } from './events/events.controller.js';
import { RootRedirectController } from './root-redirect.controller.js';
import { GraphiqlController } from './graphiql.controller.js';
import { PasteController } from './paste.controller.js';
import { ProblemsController } from './problems.controller.js';
import { ToolsController } from './tools.controller.js';
import { WebConsoleController } from './web-console.controller.js';

@Module({
  imports: [
    AccessModule,
    ApprovalsModule,
    ConnectionsModule,
    GateModule,
    OauthModule,
    TasksModule,
    UpstreamAccountsModule,
  ],
  controllers: [
    RootRedirectController,
    ProblemsController,
    GraphiqlController,
    ApprovalsController,
    AssistantsController,
    AssistantsIndexController,
    ToolsController,
    PasteController,
    AuditExportController,
    EventsController,
    WebConsoleController, // last: it handles every other path below /console
  ],
  providers: [
    ApprovalTaskResolver,
    ApprovalProgressService,
    ApprovalViewService,
    ConsoleEventReader,
    ConsoleStreamsService,
  ],
})
export class ConsoleModule {}
