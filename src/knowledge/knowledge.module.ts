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
import { folderConnector } from './folder/folder.connector.js';
import { IndexService } from './index.service.js';
import { DocumentIngestController } from './ingest.controller.js';
import { KnowledgeToolProvider } from './knowledge-tool-provider.service.js';
import { DocumentQuarantineService } from './document-quarantine.service.js';
import { sampleConnector } from './sample/sample.connector.js';
import { SearchResolver } from './search.resolver.js';
import { SearchService } from './search.service.js';
import { SourcesResolver } from './sources.resolver.js';
import { DocumentAccessService } from './permissions/document-access.service.js';
import { SourceAccountsService } from './permissions/source-accounts.service.js';
import { SourcePermissionsResolver } from './permissions/source-permissions.resolver.js';
import { SourceWebhooksController } from './webhooks/source-webhooks.controller.js';
import { SourceWebhooksService } from './webhooks/source-webhooks.service.js';
import { RosterSyncService } from './permissions/roster-sync.service.js';
import { RosterWriterService } from './permissions/roster-writer.service.js';
import { SourceRostersService } from './permissions/source-rosters.service.js';
import { SourcePassRunner } from './source-pass-runner.service.js';
import { SourcePassesService } from './source-passes.service.js';
import { SourceRemovalService } from './source-removal.service.js';
import { SourceContainersService } from './source-containers.service.js';
import { SourcesService } from './sources.service.js';
import { SyncRunsService } from './sync-runs.service.js';
import { SyncService } from './sync.service.js';

@Module({
  imports: [AccessModule, AuditModule, ConnectionsModule],
  controllers: [DocumentIngestController, SourceWebhooksController],
  providers: [
    IndexService,
    DocumentQuarantineService,
    DocumentsService,
    SourcesService,
    SourcePassesService,
    SyncRunsService,
    SourcePassRunner,
    SourceRemovalService,
    SyncService,
    SourceRostersService,
    RosterWriterService,
    RosterSyncService,
    SourceAccountsService,
    SourceContainersService,
    DocumentAccessService,
    SourceWebhooksService,
    SearchService,
    AdminSearchService,
    KnowledgeToolProvider,
    DocumentsResolver,
    SourcesResolver,
    SearchResolver,
    SourcePermissionsResolver,
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
    this.connectors.register(documentsConnector(() => this.config.baseUrl));
  }
}
