import { Module } from '@nestjs/common';
import { ConfigurationsModule } from '../../configurations/configurations.module.js';
import { AssistantsResolver } from '../assistants/assistants.resolver.js';
import { Assistants } from '../assistants/assistants.service.js';
import { GrantsModule } from '../grants.module.js';
import { ClientsResolver } from './clients.resolver.js';
import { ClientChanges } from './client-changes.service.js';
import { ClientsService } from './clients.service.js';
import { ConnectedController } from './connected.controller.js';
import { ConnectedProducts } from './connected-products.service.js';
import { GrantsResolver } from './grants.resolver.js';
import { ProtectedResourcesController } from './protected-resources.controller.js';
import { ProtectedResources } from './protected-resources.service.js';
import { SecretsService } from './secrets.service.js';
import { StandingService } from './standing.service.js';

/** The products that people connect: what they are registered with, what they were granted, and how either ends. */
@Module({
  imports: [ConfigurationsModule, GrantsModule],
  controllers: [ProtectedResourcesController, ConnectedController],
  providers: [
    ClientChanges,
    ClientsService,
    SecretsService,
    ConnectedProducts,
    ProtectedResources,
    StandingService,
    Assistants,
    ClientsResolver,
    GrantsResolver,
    AssistantsResolver,
  ],
  exports: [ClientsService, SecretsService, ConnectedProducts, ProtectedResources, Assistants],
})
export class OauthClientsModule {}
