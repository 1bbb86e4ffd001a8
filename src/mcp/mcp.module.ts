import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ConfigurationsModule } from '../configurations/configurations.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { GateModule } from '../gate/gate.module.js';
import { LimitsModule } from '../limits/limits.module.js';
import { McpSessionsModule } from '../mcp-sessions/mcp-sessions.module.js';
import { OauthModule } from '../oauth/oauth.module.js';
import { McpHandlerRunner } from './mcp-handler-runner.service.js';
import { McpCallsModule } from './calls/mcp-calls.module.js';
import { CompletionRequestHandler } from './completion-request-handler.service.js';
import { McpCorsMiddleware } from './mcp-cors.middleware.js';
import { HeaderCheckService } from './header-check.service.js';
import { KnowledgeResourcesService } from './knowledge-resources.service.js';
import { ListingChangesService } from './listing-changes.service.js';
import { ListingsService } from './listings.service.js';
import { McpController } from './mcp.controller.js';
import { ModernProtocolService } from './modern-protocol.service.js';
import { WireNamesService } from './wire-names.service.js';
import { PromptRequestHandler } from './prompt-request-handler.service.js';
import { ResourceRequestHandler } from './resource-request-handler.service.js';
import { McpServerFactory } from './server-factory.service.js';
import { SessionRequestHandler } from './session-request-handler.service.js';
import { SessionInitializer } from './sessions/session-initializer.service.js';
import { RequestCancellationService } from './sessions/request-cancellation.service.js';
import { LegacySessionsService } from './sessions/legacy-sessions.service.js';
import { SessionNotificationStreamService } from './sessions/session-notification-stream.service.js';
import { StreamResumptionService } from './sessions/stream-resumption.service.js';
import { SessionRequestsService } from './sessions/session-requests.service.js';
import { SessionServerFactory } from './sessions/session-server-factory.service.js';
import { SessionStreamsService } from './sessions/session-streams.service.js';
import { ListingSnapshotService } from './listing-snapshot.service.js';
import { SubscriptionsService } from './subscriptions.service.js';
import { McpEndpointService } from './mcp-endpoint.service.js';
import { DirectAnswersService } from './direct-answers.service.js';
import { ToolRequestHandler } from './tool-request-handler.service.js';
import { UpstreamListsService } from './upstream-lists.service.js';

/** The MCP endpoint: the tools of one configuration for one caller. */
@Module({
  imports: [
    AccessModule,
    ConfigurationsModule,
    ConnectionsModule,
    GateModule,
    LimitsModule,
    McpCallsModule,
    McpSessionsModule,
    OauthModule,
  ],
  controllers: [McpController],
  providers: [
    McpEndpointService,
    ModernProtocolService,
    McpServerFactory,
    DirectAnswersService,
    ToolRequestHandler,
    ResourceRequestHandler,
    PromptRequestHandler,
    CompletionRequestHandler,
    SessionRequestHandler,
    McpHandlerRunner,
    WireNamesService,
    HeaderCheckService,
    ListingsService,
    UpstreamListsService,
    KnowledgeResourcesService,
    ListingSnapshotService,
    ListingChangesService,
    SubscriptionsService,
    SessionInitializer,
    RequestCancellationService,
    LegacySessionsService,
    SessionNotificationStreamService,
    StreamResumptionService,
    SessionRequestsService,
    SessionServerFactory,
    SessionStreamsService,
  ],
})
export class McpModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(McpCorsMiddleware).forRoutes('v1/mcp');
  }
}
