import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { ExchangesService } from './exchanges.service.js';
import { ExchangeLeaseService } from './exchange-lease.service.js';
import { ListenerMaintenanceService } from './listener-maintenance.service.js';
import { McpSessionsService } from './mcp-sessions.service.js';
import { SessionEventStore } from './session-event-store.service.js';
import { SessionListenerRegistry } from './session-listener-registry.service.js';
import { McpSessionSweepService } from './mcp-session-sweep.service.js';

/** State of MCP clients that outlives one request, shared by all processes. */
@Module({
  imports: [AccessModule],
  providers: [
    ExchangeLeaseService,
    ExchangesService,
    McpSessionsService,
    SessionEventStore,
    SessionListenerRegistry,
    ListenerMaintenanceService,
    McpSessionSweepService,
  ],
  exports: [ExchangesService, McpSessionsService, SessionEventStore, SessionListenerRegistry],
})
export class McpSessionsModule {}
