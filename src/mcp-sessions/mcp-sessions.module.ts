import { Module } from '@nestjs/common';
import { ExchangesService } from './exchanges.service.js';
import { HeldExchanges } from './held-exchanges.service.js';

/** What lies between us and a client over MCP for longer than one request, for all processes. */
@Module({
  providers: [HeldExchanges, ExchangesService],
  exports: [ExchangesService],
})
export class McpSessionsModule {}
