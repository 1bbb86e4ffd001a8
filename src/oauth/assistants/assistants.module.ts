import { Module } from '@nestjs/common';
import { ConfigurationsModule } from '../../configurations/configurations.module.js';
import { OauthClientsModule } from '../clients/clients.module.js';
import { AssistantsResolver } from './assistants.resolver.js';
import { AssistantsService } from './assistants.service.js';

/** Registers the known assistants as products, and explains how people connect them. */
@Module({
  imports: [ConfigurationsModule, OauthClientsModule],
  providers: [AssistantsService, AssistantsResolver],
  exports: [AssistantsService],
})
export class AssistantsModule {}
