import { Module } from '@nestjs/common';
import { GateModule } from '../../gate/gate.module.js';
import { McpSessionsModule } from '../../mcp-sessions/mcp-sessions.module.js';
import { Answering } from '../answering.service.js';
import { AccountLinks } from './account-links.service.js';
import { ApprovalLadder } from './approval-ladder.service.js';
import { Holds } from './holds.service.js';
import { McpCalls } from './mcp-calls.service.js';
import { McpTasks } from './mcp-tasks.service.js';
import { RequestStates } from './request-states.service.js';
import { ReturningCalls } from './returning-calls.service.js';

/** From a request that does something to its answer, whoever has to be asked in between. */
@Module({
  imports: [GateModule, McpSessionsModule],
  providers: [McpCalls, McpTasks, ReturningCalls, ApprovalLadder, AccountLinks, Holds, RequestStates, Answering],
  exports: [McpCalls, McpTasks],
})
export class McpCallsModule {}
