import { Module } from '@nestjs/common';
import { AccountAuthorizationService } from './accounts/account-authorization.service.js';
import { AccountTokensService } from './accounts/account-tokens.service.js';
import { AccountsController } from './accounts/accounts.controller.js';
import { ConnectedAccountsResolver } from './accounts/connected-accounts.resolver.js';
import { ConnectedAccountsService } from './accounts/connected-accounts.service.js';
import { OwnAccountsService } from './accounts/own-accounts.service.js';
import { ClientDocumentController } from './accounts/client-document.controller.js';
import { ConnectionAudienceService } from './accounts/connection-audience.service.js';
import { PersonalAccountsService } from './accounts/personal-accounts.service.js';
import { AuthorizationServerPinsService } from './accounts/authorization-server-pins.service.js';
import { UpstreamClientsService } from './accounts/upstream-clients.service.js';
import { AccountSealingService } from './accounts/account-sealing.service.js';
import { CatalogueResolver } from './catalogue.resolver.js';
import { ConnectorRegistry } from './connector-registry.service.js';
import { ConnectionVerificationScheduler } from './connection-verification-scheduler.service.js';
import { ConnectionSecretsService } from './connection-secrets.service.js';
import { ConnectionTenantsService } from './connection-tenants.service.js';
import { ConnectionsResolver } from './connections.resolver.js';
import { ConnectionsService } from './connections.service.js';
import { ConnectionVerificationService } from './connection-verification.service.js';
import { McpCatalogueService } from './mcp/mcp-catalogue.service.js';
import { McpClientPool } from './mcp/mcp-client-pool.service.js';
import { McpExecutionService } from './mcp/mcp-execution.service.js';
import { McpConnector } from './mcp/mcp.connector.js';
import { McpKnowledgeService } from './mcp/mcp-knowledge.service.js';
import { McpListChangeHandler } from './mcp/mcp-list-change-handler.service.js';
import { McpTargetsService } from './mcp/mcp-targets.service.js';
import { RemoteStdioSessionsService } from './mcp/stdio/remote-stdio-sessions.service.js';
import { StdioSessionRepository } from './mcp/stdio/stdio-session-repository.service.js';
import { StdioCommandsService } from './mcp/stdio/stdio-commands.service.js';
import { StdioLeasesService } from './mcp/stdio/stdio-leases.service.js';
import { ModelConnector } from './model/model.connector.js';
import { ModelsService } from './models.service.js';
import { OfferedToolCache } from './offered-tool-cache.service.js';
import { ToolDiscoveryService } from './tool-discovery.service.js';
import { ToolExecutionService } from './tool-execution.service.js';
import { ToolsResolver } from './tools.resolver.js';
import { ToolsService } from './tools.service.js';
import { UpstreamCatalogueService } from './upstream-catalogue.service.js';
import { UpstreamSubscriptionsService } from './upstream-subscriptions.service.js';

@Module({
  controllers: [AccountsController, ClientDocumentController],
  providers: [
    ConnectorRegistry,
    ConnectionSecretsService,
    ConnectionsService,
    ConnectionTenantsService,
    ToolDiscoveryService,
    ToolExecutionService,
    ConnectionVerificationService,
    OfferedToolCache,
    ToolsService,
    ModelsService,
    ConnectionVerificationScheduler,
    UpstreamSubscriptionsService,
    UpstreamCatalogueService,
    AccountSealingService,
    ConnectionAudienceService,
    AccountTokensService,
    PersonalAccountsService,
    AuthorizationServerPinsService,
    UpstreamClientsService,
    OwnAccountsService,
    AccountAuthorizationService,
    ConnectedAccountsService,
    ConnectedAccountsResolver,
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
    ModelConnector,
    CatalogueResolver,
    ConnectionsResolver,
    ToolsResolver,
  ],
  exports: [
    ConnectorRegistry,
    ConnectionsService,
    ConnectionTenantsService,
    ToolsService,
    ModelsService,
    UpstreamCatalogueService,
    OwnAccountsService,
    ConnectionAudienceService,
  ],
})
export class ConnectionsModule {}
