import { Module } from '@nestjs/common';
import { ConnectionsModule } from '../connections/connections.module.js';
import { PoliciesModule } from '../policies/policies.module.js';
import { A2aKeyAuthenticator } from './a2a-key-authenticator.service.js';
import { A2aKeyStrategy } from './a2a-key.strategy.js';
import { A2aKeysResolver, AgentsResolver } from './agents.resolver.js';
import { AgentsService } from './agents.service.js';
import { ConfigurationNamesService } from './configuration-names.service.js';
import { ConfigurationPartsService } from './configuration-parts.service.js';
import { ConfigurationsResolver } from './configurations.resolver.js';
import { ConfigurationsService } from './configurations.service.js';
import { KeysService } from './keys.service.js';
import { SkillsService } from './skills.service.js';
import { UsableConfigurationsService } from './usable-configurations.service.js';

@Module({
  imports: [ConnectionsModule, PoliciesModule],
  providers: [
    ConfigurationsService,
    ConfigurationNamesService,
    ConfigurationPartsService,
    AgentsService,
    KeysService,
    SkillsService,
    UsableConfigurationsService,
    A2aKeyAuthenticator,
    A2aKeyStrategy,
    ConfigurationsResolver,
    AgentsResolver,
    A2aKeysResolver,
  ],
  exports: [
    A2aKeyAuthenticator,
    ConfigurationsService,
    ConfigurationNamesService,
    ConfigurationPartsService,
    AgentsService,
    KeysService,
    SkillsService,
    UsableConfigurationsService,
  ],
})
export class ConfigurationsModule {}
