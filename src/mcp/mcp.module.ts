import { type MiddlewareConsumer, Module, type NestModule } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ConfigurationsModule } from '../configurations/configurations.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { GateModule } from '../gate/gate.module.js';
import { McpSessionsModule } from '../mcp-sessions/mcp-sessions.module.js';
import { OauthModule } from '../oauth/oauth.module.js';
import { TasksModule } from '../tasks/tasks.module.js';
import { Answering } from './answering.service.js';
import { McpCallsModule } from './calls/mcp-calls.module.js';
import { CompletionHandlers } from './completion-handlers.service.js';
import { McpDoor } from './door.middleware.js';
import { HeaderCheck } from './header-check.service.js';
import { KnowledgeShelf } from './knowledge-shelf.service.js';
import { ListingChanges } from './listing-changes.service.js';
import { Listings } from './listings.service.js';
import { McpController } from './mcp.controller.js';
import { ModernEra } from './modern.service.js';
import { Naming } from './naming.service.js';
import { OpenRequests } from './open-requests.service.js';
import { PromptHandlers } from './prompt-handlers.service.js';
import { ResourceHandlers } from './resource-handlers.service.js';
import { ServerFactory } from './server-factory.service.js';
import { SessionHandlers } from './session-handlers.service.js';
import { Beginning } from './sessions/beginning.service.js';
import { InFlightRequests } from './sessions/in-flight.service.js';
import { LegacySessions } from './sessions/legacy-sessions.service.js';
import { Listening } from './sessions/listening.service.js';
import { Resumption } from './sessions/resumption.service.js';
import { SessionRequests } from './sessions/session-requests.service.js';
import { SessionServers } from './sessions/session-servers.service.js';
import { SessionStreams } from './sessions/session-streams.service.js';
import { Sights } from './sights.service.js';
import { Subscriptions } from './subscriptions.service.js';
import { McpSurface } from './surface.service.js';
import { DirectAnswers } from './direct-answers.service.js';
import { ToolHandlers } from './tool-handlers.service.js';
import { UpstreamLists } from './upstream-lists.service.js';

/** One address for assistants: the tools of one configuration, as one person. */
@Module({
  imports: [
    AccessModule,
    ConfigurationsModule,
    ConnectionsModule,
    GateModule,
    McpCallsModule,
    McpSessionsModule,
    OauthModule,
    TasksModule,
  ],
  controllers: [McpController],
  providers: [
    McpSurface,
    OpenRequests,
    ModernEra,
    ServerFactory,
    DirectAnswers,
    ToolHandlers,
    ResourceHandlers,
    PromptHandlers,
    CompletionHandlers,
    SessionHandlers,
    Answering,
    Naming,
    HeaderCheck,
    Listings,
    UpstreamLists,
    KnowledgeShelf,
    Sights,
    ListingChanges,
    Subscriptions,
    Beginning,
    InFlightRequests,
    LegacySessions,
    Listening,
    Resumption,
    SessionRequests,
    SessionServers,
    SessionStreams,
  ],
})
export class McpModule implements NestModule {
  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(McpDoor).forRoutes('v1/mcp');
  }
}
