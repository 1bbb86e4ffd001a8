import { Module, type OnModuleInit } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ConnectorRegistry } from '../connections/connector-registry.service.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { Config } from '../platform/config/config.js';
import { AdminSearchService } from './admin-search.service.js';
import { confluenceConnector } from './confluence/confluence.connector.js';
import { confluenceDataCenterConnector } from './confluence/confluence-data-center.connector.js';
import { documentsConnector } from './documents.connector.js';
import { DocumentsResolver } from './documents.resolver.js';
import { DocumentsService } from './documents.service.js';
import { EmbeddingJobService } from './embeddings/embedding-job.service.js';
import { embeddingsConnector } from './embeddings/embeddings.connector.js';
import { EmbeddingsResolver } from './embeddings/embeddings.resolver.js';
import { EmbeddingsService } from './embeddings/embeddings.service.js';
import { folderConnector } from './folder/folder.connector.js';
import { gitConnector } from './git/git.connector.js';
import { gitFolder, standardGitLimits } from './git/git-repository.js';
import { GitStorageService } from './git/git-storage.service.js';
import { githubConnector } from './github/github.connector.js';
import { gitlabConnector } from './gitlab/gitlab.connector.js';
import { IndexService } from './index.service.js';
import { DocumentIngestController } from './ingest.controller.js';
import { jiraConnector } from './jira/jira.connector.js';
import { jiraDataCenterConnector } from './jira/jira-data-center.connector.js';
import { KnowledgeToolProvider } from './knowledge-tool-provider.service.js';
import { DocumentQuarantineService } from './document-quarantine.service.js';
import { linearConnector } from './linear/linear.connector.js';
import { notionConnector } from './notion/notion.connector.js';
import { ReadableAudiencesService } from './readable-audiences.service.js';
import { ReindexService } from './reindex.service.js';
import { sampleConnector } from './sample/sample.connector.js';
import { SearchResolver } from './search.resolver.js';
import { SearchService } from './search.service.js';
import { slackSourceConnector } from './slack/slack.connector.js';
import { SourcesResolver } from './sources.resolver.js';
import { DocumentAccessService } from './permissions/document-access.service.js';
import { SourceAccountsService } from './permissions/source-accounts.service.js';
import { SourcePermissionsResolver } from './permissions/source-permissions.resolver.js';
import { SourceWebhooksController } from './webhooks/source-webhooks.controller.js';
import { SourceWebhooksService } from './webhooks/source-webhooks.service.js';
import { WebhookAddressResolver } from './webhooks/webhook-address.resolver.js';
import { WebhookTokensResolver } from './webhooks/webhook-tokens.resolver.js';
import { WebhookTokensService } from './webhooks/webhook-tokens.service.js';
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
import { websiteConnector } from './website/website.connector.js';

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
    WebhookTokensService,
    EmbeddingsService,
    EmbeddingJobService,
    ReindexService,
    ReadableAudiencesService,
    SearchService,
    AdminSearchService,
    KnowledgeToolProvider,
    GitStorageService,
    DocumentsResolver,
    SourcesResolver,
    SearchResolver,
    SourcePermissionsResolver,
    WebhookAddressResolver,
    WebhookTokensResolver,
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
    const root = gitFolder(this.config.dataDir);
    const storage = { root, allowedNetworks: this.config.allowPrivateNetworks, limits: standardGitLimits };
    this.connectors.register(gitConnector(storage));
    this.connectors.register(jiraConnector);
    this.connectors.register(jiraDataCenterConnector);
    this.connectors.register(confluenceConnector);
    this.connectors.register(confluenceDataCenterConnector);
    this.connectors.register(sampleConnector);
    this.connectors.register(githubConnector(storage));
    this.connectors.register(gitlabConnector);
    this.connectors.register(slackSourceConnector());
    this.connectors.register(linearConnector());
    this.connectors.register(notionConnector());
    this.connectors.register(websiteConnector());
    this.connectors.register(embeddingsConnector);
    this.connectors.register(documentsConnector(() => this.config.baseUrl));
  }
}
