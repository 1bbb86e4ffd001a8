import { Module } from '@nestjs/common';
import { PeopleModule } from '../people/people.module.js';
import { ClientVersions } from './client-versions.service.js';
import { McpUse } from './mcp-use.service.js';

/** What vendors count that tells of configurations: which clients are in use, and which servers they call. */
@Module({
  imports: [PeopleModule],
  providers: [ClientVersions, McpUse],
  exports: [ClientVersions, McpUse, PeopleModule],
})
export class EstateFactsModule {}
