import { Module } from '@nestjs/common';
import { AccessModule } from '../access/access.module.js';
import { AuditModule } from '../audit/audit.module.js';
import { ConnectionsModule } from '../connections/connections.module.js';
import { AccountAuthorizationService } from './account-authorization.service.js';
import { AccountSealingService } from './account-sealing.service.js';
import { AccountStore } from './account-store.service.js';
import { AccountTokensService } from './account-tokens.service.js';
import { AccountsController } from './accounts.controller.js';
import { AuthorizationServerPinsService } from './authorization-server-pins.service.js';
import { ClientDocumentController } from './client-document.controller.js';
import { ConnectedAccountsResolver } from './connected-accounts.resolver.js';
import { ConnectedAccountsService } from './connected-accounts.service.js';
import { OwnAccountsService } from './own-accounts.service.js';
import { PendingAuthorizationStore } from './pending-authorization-store.service.js';
import { PersonalAccountsService } from './personal-accounts.service.js';
import { UpstreamClientsService } from './upstream-clients.service.js';

/** People's own accounts at connected systems, by OAuth. */
@Module({
  imports: [AccessModule, AuditModule, ConnectionsModule],
  controllers: [AccountsController, ClientDocumentController],
  providers: [
    AccountSealingService,
    AccountStore,
    PendingAuthorizationStore,
    AccountTokensService,
    PersonalAccountsService,
    AuthorizationServerPinsService,
    UpstreamClientsService,
    OwnAccountsService,
    AccountAuthorizationService,
    ConnectedAccountsService,
    ConnectedAccountsResolver,
  ],
  exports: [OwnAccountsService, PersonalAccountsService],
})
export class UpstreamAccountsModule {}
