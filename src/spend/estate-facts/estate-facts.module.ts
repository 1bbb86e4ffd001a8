import { Module } from '@nestjs/common';
import { PeopleModule } from '../people/people.module.js';
import { ClientVersionsService } from './client-versions.service.js';
import { McpUsageService } from './mcp-usage.service.js';

/** Vendor data about configurations: client versions in use, and the MCP servers that they call. */
@Module({
  imports: [PeopleModule],
  providers: [ClientVersionsService, McpUsageService],
  exports: [ClientVersionsService, McpUsageService, PeopleModule],
})
export class EstateFactsModule {}
