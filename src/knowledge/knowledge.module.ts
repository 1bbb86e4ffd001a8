import { Module, type OnModuleInit } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ConnectionKinds } from '../connections/connection-kinds.service.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { Config } from '../platform/config/config.js';
import { AdminSearchService } from './admin-search.service.js';
import { documentsKind } from './documents.kind.js';
import { DocumentsResolver } from './documents.resolver.js';
import { DocumentsService } from './documents.service.js';
import { folderKind } from './folder/folder.kind.js';
import { IndexService } from './index.service.js';
import { IngestController } from './ingest.controller.js';
import { KnowledgeTools } from './knowledge-tools.service.js';
import { DocumentQuarantine } from './quarantine.service.js';
import { SearchResolver } from './search.resolver.js';
import { SearchService } from './search.service.js';
import { SourcesResolver } from './sources.resolver.js';
import { SourcesService } from './sources.service.js';
import { SyncRuns } from './sync-runs.service.js';
import { SyncService } from './sync.service.js';

@Module({
  imports: [AccessModule, AuditModule, ConnectionsModule],
  controllers: [IngestController],
  providers: [
    IndexService,
    DocumentQuarantine,
    DocumentsService,
    SourcesService,
    SyncRuns,
    SyncService,
    SearchService,
    AdminSearchService,
    KnowledgeTools,
    DocumentsResolver,
    SourcesResolver,
    SearchResolver,
  ],
})
export class KnowledgeModule implements OnModuleInit {
  constructor(
    private readonly kinds: ConnectionKinds,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.kinds.register(folderKind(this.config.folderRoots));
    this.kinds.register(documentsKind(() => this.config.baseUrl));
  }
}
