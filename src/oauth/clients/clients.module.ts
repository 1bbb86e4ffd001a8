import { Module } from '@nestjs/common';
import { ConfigurationsModule } from '../../configurations/configurations.module.js';
import { ClientsResolver } from './clients.resolver.js';
import { ClientsService } from './clients.service.js';
import { ProtectedResourcesController } from './protected-resources.controller.js';
import { ProtectedResources } from './protected-resources.service.js';
import { SecretsService } from './secrets.service.js';

/** The products that people connect, and what they are registered with. */
@Module({
  imports: [ConfigurationsModule],
  controllers: [ProtectedResourcesController],
  providers: [ClientsService, SecretsService, ProtectedResources, ClientsResolver],
  exports: [ClientsService, SecretsService, ProtectedResources],
})
export class OauthClientsModule {}
