import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ExchangesService } from './exchanges.service.js';
import { HeldExchanges } from './held-exchanges.service.js';
import { ListenerUpkeep } from './listener-upkeep.service.js';
import { McpSessionsService } from './mcp-sessions.service.js';
import { SessionEvents } from './session-events.service.js';
import { SessionListeners } from './session-listeners.service.js';
import { McpSessionSweeps } from './sweeps.service.js';

/** What lies between us and a client over MCP for longer than one request, for all processes. */
@Module({
  imports: [AccessModule],
  providers: [
    HeldExchanges,
    ExchangesService,
    McpSessionsService,
    SessionEvents,
    SessionListeners,
    ListenerUpkeep,
    McpSessionSweeps,
  ],
  exports: [ExchangesService, McpSessionsService, SessionEvents, SessionListeners],
})
export class McpSessionsModule {}
