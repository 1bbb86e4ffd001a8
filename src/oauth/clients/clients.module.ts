import { Module } from '@nestjs/common';
import { ConfigurationsModule } from '../../configurations/configurations.module.js';
import { GrantsModule } from '../grants.module.js';
import { ClientsResolver } from './clients.resolver.js';
import { ClientChangesService } from './client-changes.service.js';
import { ClientsService } from './clients.service.js';
import { ConnectedDevicesService } from './connected-devices.service.js';
import { ConnectedProductsController } from './connected-products.controller.js';
import { ConnectedProductsService } from './connected-products.service.js';
import { DevicesResolver } from './devices.resolver.js';
import { GrantsResolver } from './grants.resolver.js';
import { ProtectedResourcesController } from './protected-resources.controller.js';
import { ProtectedResourcesService } from './protected-resources.service.js';
import { SecretsService } from './secrets.service.js';
import { ClientRevalidationService } from './client-revalidation.service.js';

/** Registrations and grants of the products that people connect. */
@Module({
  imports: [ConfigurationsModule, GrantsModule],
  controllers: [ProtectedResourcesController, ConnectedProductsController],
  providers: [
    ClientChangesService,
    ClientsService,
    SecretsService,
    ConnectedDevicesService,
    ConnectedProductsService,
    ProtectedResourcesService,
    ClientRevalidationService,
    ClientsResolver,
    DevicesResolver,
    GrantsResolver,
  ],
  exports: [
    ClientsService,
    SecretsService,
    ConnectedDevicesService,
    ConnectedProductsService,
    ProtectedResourcesService,
  ],
})
export class OauthClientsModule {}
