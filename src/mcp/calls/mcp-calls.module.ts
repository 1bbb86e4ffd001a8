import { Module } from '@nestjs/common';
import { GateModule } from '../../gate/gate.module.js';
import { McpSessionsModule } from '../../mcp-sessions/mcp-sessions.module.js';
import { McpHandlerRunner } from '../mcp-handler-runner.service.js';
import { AccountLinksService } from './account-links.service.js';
import { PendingApprovalPresenter } from './pending-approval-presenter.service.js';
import { RequestHoldsService } from './request-holds.service.js';
import { McpCallsService } from './mcp-calls.service.js';
import { McpTaskRequestHandler } from './mcp-task-request-handler.service.js';
import { RequestStatesService } from './request-states.service.js';
import { ResumableCallsService } from './resumable-calls.service.js';

/** Runs tool calls and other operations of MCP clients, including approvals, questions and account links on the way. */
@Module({
  imports: [GateModule, McpSessionsModule],
  providers: [
    McpCallsService,
    McpTaskRequestHandler,
    ResumableCallsService,
    PendingApprovalPresenter,
    AccountLinksService,
    RequestHoldsService,
    RequestStatesService,
    McpHandlerRunner,
  ],
  exports: [McpCallsService, McpTaskRequestHandler],
})
export class McpCallsModule {}
