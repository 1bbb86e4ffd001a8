import { Module, type OnModuleInit } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ConnectorRegistry } from '../connections/connector-registry.service.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { Config } from '../platform/config/config.js';
import { AdminSearchService } from './admin-search.service.js';
import { documentsConnector } from './documents.connector.js';
import { DocumentsResolver } from './documents.resolver.js';
import { DocumentsService } from './documents.service.js';
import { EmbeddingJobService } from './embeddings/embedding-job.service.js';
import { embeddingsConnector } from './embeddings/embeddings.connector.js';
import { EmbeddingsResolver } from './embeddings/embeddings.resolver.js';
import { EmbeddingsService } from './embeddings/embeddings.service.js';
import { folderConnector } from './folder/folder.connector.js';
import { IndexService } from './index.service.js';
import { DocumentIngestController } from './ingest.controller.js';
import { KnowledgeToolProvider } from './knowledge-tool-provider.service.js';
import { DocumentQuarantineService } from './document-quarantine.service.js';
import { ReindexService } from './reindex.service.js';
import { sampleConnector } from './sample/sample.connector.js';
import { SearchResolver } from './search.resolver.js';
import { SearchService } from './search.service.js';
import { SourcesResolver } from './sources.resolver.js';
import { SourcesService } from './sources.service.js';
import { SyncRunsService } from './sync-runs.service.js';
import { SyncService } from './sync.service.js';

@Module({
  imports: [AccessModule, AuditModule, ConnectionsModule],
  controllers: [DocumentIngestController],
  providers: [
    IndexService,
    DocumentQuarantineService,
    DocumentsService,
    SourcesService,
    SyncRunsService,
    SyncService,
    EmbeddingsService,
    EmbeddingJobService,
    ReindexService,
    SearchService,
    AdminSearchService,
    KnowledgeToolProvider,
    DocumentsResolver,
    SourcesResolver,
    SearchResolver,
    EmbeddingsResolver,
  ],
})
export class KnowledgeModule implements OnModuleInit {
  constructor(
    private readonly connectors: ConnectorRegistry,
    private readonly config: Config,
  ) {}

  onModuleInit(): void {
    this.connectors.register(folderConnector(this.config.folderRoots));
    this.connectors.register(sampleConnector);
    this.connectors.register(embeddingsConnector);
    this.connectors.register(documentsConnector(() => this.config.baseUrl));
  }
}
