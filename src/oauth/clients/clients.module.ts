import { Module } from '@nestjs/common';
import { ConfigurationsModule } from '../../configurations/configurations.module.js';
import { ClientsResolver } from './clients.resolver.js';
import { ClientsService } from './clients.service.js';
import { SecretsService } from './secrets.service.js';

/** The products that people connect, and what they are registered with. */
@Module({
  imports: [ConfigurationsModule],
  providers: [ClientsService, SecretsService, ClientsResolver],
  exports: [ClientsService, SecretsService],
})
export class OauthClientsModule {}
