import { Module } from '@nestjs/common';
import { PeopleModule } from '../people/people.module.js';
import { ClientVersionsService } from './client-versions.service.js';
import { McpUsageService } from './mcp-usage.service.js';

/** What vendors count that tells of configurations: which clients are in use, and which servers they call. */
@Module({
  imports: [PeopleModule],
  providers: [ClientVersionsService, McpUsageService],
  exports: [ClientVersionsService, McpUsageService, PeopleModule],
})
export class EstateFactsModule {}
