import { Module } from '@nestjs/common';
import { AccountConnecting } from './accounts/account-connecting.service.js';
import { AccountTokens } from './accounts/account-tokens.service.js';
import { AccountsController } from './accounts/accounts.controller.js';
import { ConnectedAccountsResolver } from './accounts/connected-accounts.resolver.js';
import { ConnectedAccounts } from './accounts/connected-accounts.service.js';
import { OwnAccounts } from './accounts/own-accounts.service.js';
import { ClientDocumentController } from './accounts/client-document.controller.js';
import { ConnectionAudience } from './accounts/connection-audience.service.js';
import { PersonalAccounts } from './accounts/personal-accounts.service.js';
import { AuthorizationServerPins } from './accounts/authorization-server-pins.service.js';
import { UpstreamClients } from './accounts/upstream-clients.service.js';
import { Vault } from './accounts/vault.service.js';
import { CatalogueResolver } from './catalogue.resolver.js';
import { ConnectionKinds } from './connection-kinds.service.js';
import { ConnectionRefresh } from './connection-refresh.service.js';
import { ConnectionSecrets } from './connection-secrets.service.js';
import { ConnectionTenants } from './connection-tenants.service.js';
import { ConnectionsResolver } from './connections.resolver.js';
import { ConnectionsService } from './connections.service.js';
import { Examination } from './examination.service.js';
import { McpCatalogue } from './mcp/mcp-catalogue.service.js';
import { McpClients } from './mcp/mcp-clients.service.js';
import { McpExecution } from './mcp/mcp-execution.service.js';
import { McpKind } from './mcp/mcp.kind.js';
import { McpKnowledge } from './mcp/mcp-knowledge.service.js';
import { McpNews } from './mcp/mcp-news.service.js';
import { McpTargets } from './mcp/mcp-targets.service.js';
import { FarLines } from './mcp/stdio/far-lines.service.js';
import { LineRows } from './mcp/stdio/line-rows.service.js';
import { StdioCommands } from './mcp/stdio/stdio-commands.service.js';
import { StdioLeases } from './mcp/stdio/stdio-leases.service.js';
import { ModelKind } from './model/model.kind.js';
import { ModelsService } from './models.service.js';
import { OfferedLists } from './offered-lists.service.js';
import { ToolDiscovery } from './tool-discovery.service.js';
import { ToolExecution } from './tool-execution.service.js';
import { ToolsResolver } from './tools.resolver.js';
import { ToolsService } from './tools.service.js';
import { UpstreamCatalogue } from './upstream-catalogue.service.js';
import { UpstreamFollowing } from './upstream-following.service.js';

@Module({
  controllers: [AccountsController, ClientDocumentController],
  providers: [
    ConnectionKinds,
    ConnectionSecrets,
    ConnectionsService,
    ConnectionTenants,
    ToolDiscovery,
    ToolExecution,
    Examination,
    OfferedLists,
    ToolsService,
    ModelsService,
    ConnectionRefresh,
    UpstreamFollowing,
    UpstreamCatalogue,
    Vault,
    ConnectionAudience,
    AccountTokens,
    PersonalAccounts,
    AuthorizationServerPins,
    UpstreamClients,
    OwnAccounts,
    AccountConnecting,
    ConnectedAccounts,
    ConnectedAccountsResolver,
    McpTargets,
    McpNews,
    McpClients,
    McpExecution,
    McpCatalogue,
    McpKnowledge,
    McpKind,
    StdioLeases,
    LineRows,
    FarLines,
    StdioCommands,
    ModelKind,
    CatalogueResolver,
    ConnectionsResolver,
    ToolsResolver,
  ],
  exports: [
    ConnectionKinds,
    ConnectionsService,
    ConnectionTenants,
    ToolsService,
    ModelsService,
    UpstreamCatalogue,
    OwnAccounts,
    ConnectionAudience,
  ],
})
export class ConnectionsModule {}
