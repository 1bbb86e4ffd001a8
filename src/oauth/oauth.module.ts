import { Module } from '@nestjs/common';
import { ConfigurationsModule } from '../configurations/configurations.module.js';
import { LimitsModule } from '../limits/limits.module.js';
import { AccessTokensService } from './access-tokens.service.js';
import { AccountsService } from './accounts.service.js';
import { ApiTokenStrategy } from './api-token.strategy.js';
import { AssistantsModule } from './assistants/assistants.module.js';
import { OauthClientsModule } from './clients/clients.module.js';
import { CliTokenStrategy } from './cli-token.strategy.js';
import { CliTokensService } from './cli-tokens.service.js';
import { ConsentController } from './consent.controller.js';
import { ConsentsService } from './consents.service.js';
import { DeviceController } from './device.controller.js';
import { DevicesService } from './devices.service.js';
import { GrantRevocationAuditService } from './grant-revocation-audit.service.js';
import { GrantsModule } from './grants.module.js';
import { InteractionsService } from './interactions.service.js';
import { OauthRateLimitService } from './oauth-rate-limit.service.js';
import { McpTokenStrategy } from './mcp-token.strategy.js';
import { OauthController } from './oauth.controller.js';
import { OauthRowsRepository } from './oauth-rows-repository.service.js';
import { OauthTransactionService } from './oauth-transaction.service.js';
import { ProviderConfigurationService } from './provider-configuration.service.js';
import { ProviderMiddlewareService } from './provider-middleware.service.js';
import { ProviderService } from './provider.service.js';
import { SigningKeysService } from './signing-keys.service.js';
import { OauthSweepScheduler } from './oauth-sweep-scheduler.service.js';

/** The authorization server and the registrations of products that act for consenting members. */
@Module({
  imports: [AssistantsModule, ConfigurationsModule, GrantsModule, LimitsModule, OauthClientsModule],
  controllers: [OauthController, ConsentController, DeviceController],
  providers: [
    OauthRowsRepository,
    OauthTransactionService,
    ProviderConfigurationService,
    ProviderMiddlewareService,
    ProviderService,
    AccountsService,
    ConsentsService,
    InteractionsService,
    DevicesService,
    GrantRevocationAuditService,
    SigningKeysService,
    OauthSweepScheduler,
    OauthRateLimitService,
    AccessTokensService,
    ApiTokenStrategy,
    CliTokensService,
    CliTokenStrategy,
    McpTokenStrategy,
  ],
  exports: [AssistantsModule, OauthClientsModule, GrantsModule, SigningKeysService, AccessTokensService],
})
export class OauthModule {}
