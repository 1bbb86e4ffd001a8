import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { UpstreamAccountsModule } from '../upstream-accounts/upstream-accounts.module.js';
import { McpCatalogueService } from './mcp-catalogue.service.js';
import { McpClientPool } from './mcp-client-pool.service.js';
import { McpExecutionService } from './mcp-execution.service.js';
import { McpKnowledgeService } from './mcp-knowledge.service.js';
import { McpListChangeHandler } from './mcp-list-change-handler.service.js';
import { McpTargetsService } from './mcp-targets.service.js';
import { McpConnector } from './mcp.connector.js';
import { RemoteStdioSessionsService } from './stdio/remote-stdio-sessions.service.js';
import { StdioCommandsService } from './stdio/stdio-commands.service.js';
import { StdioLeasesService } from './stdio/stdio-leases.service.js';
import { StdioSessionRepository } from './stdio/stdio-session-repository.service.js';

/** Connections to MCP servers, over HTTP or as commands of the operator. */
@Module({
  imports: [AccessModule, ConnectionsModule, UpstreamAccountsModule],
  providers: [
    McpTargetsService,
    McpListChangeHandler,
    McpClientPool,
    McpExecutionService,
    McpCatalogueService,
    McpKnowledgeService,
    McpConnector,
    StdioLeasesService,
    StdioSessionRepository,
    RemoteStdioSessionsService,
    StdioCommandsService,
  ],
})
export class McpClientModule {}
