import { Module } from '@nestjs/common';
import { CatalogueResolver } from './catalogue.resolver.js';
import { ConnectionAudienceService } from './connection-audience.service.js';
import { ConnectionBatchVerificationService } from './connection-batch-verification.service.js';
import { ConnectionNotificationsService } from './connection-notifications.service.js';
import { ConnectionPlansService } from './connection-plans.service.js';
import { ConnectionSecretsService } from './connection-secrets.service.js';
import { ConnectionTenantsService } from './connection-tenants.service.js';
import { ConnectionVerificationScheduler } from './connection-verification-scheduler.service.js';
import { ConnectionVerificationService } from './connection-verification.service.js';
import { ConnectionsResolver } from './connections.resolver.js';
import { ConnectionsService } from './connections.service.js';
import { ConnectorRegistry } from './connector-registry.service.js';
import { CredentialRemovalHookRegistry } from './credential-removal-hook-registry.service.js';
import { ModelConnector } from './model/model.connector.js';
import { ModelsService } from './models.service.js';
import { OfferedToolCache } from './offered-tool-cache.service.js';
import { ToolDiscoveryService } from './tool-discovery.service.js';
import { ToolExecutionService } from './tool-execution.service.js';
import { ToolsResolver } from './tools.resolver.js';
import { ToolsService } from './tools.service.js';
import { UpstreamCatalogueService } from './upstream-catalogue.service.js';
import { UpstreamSubscriptionsService } from './upstream-subscriptions.service.js';

@Module({
  providers: [
    ConnectorRegistry,
    ConnectionAudienceService,
    CredentialRemovalHookRegistry,
    ConnectionNotificationsService,
    ConnectionSecretsService,
    ConnectionsService,
    ConnectionPlansService,
    ConnectionBatchVerificationService,
    ConnectionTenantsService,
    ToolDiscoveryService,
    ToolExecutionService,
    ConnectionVerificationService,
    OfferedToolCache,
    ToolsService,
    ModelsService,
    ConnectionVerificationScheduler,
    UpstreamSubscriptionsService,
    UpstreamCatalogueService,
    ModelConnector,
    CatalogueResolver,
    ConnectionsResolver,
    ToolsResolver,
  ],
  exports: [
    ConnectorRegistry,
    ConnectionAudienceService,
    CredentialRemovalHookRegistry,
    ConnectionPlansService,
    ConnectionBatchVerificationService,
    ConnectionsService,
    ConnectionTenantsService,
    ToolsService,
    ModelsService,
    UpstreamCatalogueService,
  ],
})
export class ConnectionsModule {}
