import { Module } from '@nestjs/common';
import { ConfigurationsModule } from '../configurations/configurations.module.js';
import { AccessTokens } from './access-tokens.service.js';
import { AccountsService } from './accounts.service.js';
import { ApiTokenStrategy } from './api-token.strategy.js';
import { OauthClientsModule } from './clients/clients.module.js';
import { ConsentController } from './consent.controller.js';
import { ConsentsService } from './consents.service.js';
import { DeviceController } from './device.controller.js';
import { DevicesService } from './devices.service.js';
import { GrantEndings } from './grant-endings.service.js';
import { GrantsModule } from './grants.module.js';
import { InteractionsService } from './interactions.service.js';
import { OauthLimits } from './limits.service.js';
import { McpTokenStrategy } from './mcp-token.strategy.js';
import { OAuthController } from './oauth.controller.js';
import { OauthRows } from './oauth-rows.service.js';
import { OauthTransaction } from './oauth-transaction.service.js';
import { ProviderService } from './provider.service.js';
import { SigningKeys } from './signing-keys.service.js';
import { OauthSweeps } from './sweeps.service.js';

/** Products that act for members who agreed to it: the authorization server, and the products' registrations. */
@Module({
  imports: [ConfigurationsModule, GrantsModule, OauthClientsModule],
  controllers: [OAuthController, ConsentController, DeviceController],
  providers: [
    OauthRows,
    OauthTransaction,
    ProviderService,
    AccountsService,
    ConsentsService,
    InteractionsService,
    DevicesService,
    GrantEndings,
    SigningKeys,
    OauthSweeps,
    OauthLimits,
    AccessTokens,
    ApiTokenStrategy,
    McpTokenStrategy,
  ],
  exports: [OauthClientsModule, GrantsModule, SigningKeys, AccessTokens],
})
export class OauthModule {}
