import { Args, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { decodeCursor, type Page, PageArgs } from '../platform/graphql/connection.js';
import { RequestLoader } from '../platform/graphql/request-loader.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { Connection } from '../connections/connection.entity.js';
import { AuthorizationServerPinsService } from './authorization-server-pins.service.js';
import { type ConnectedAccount, ConnectedAccountPage } from './connected-account.js';
import { ConnectedAccountsService, type ConnectedAccountsPageArgs } from './connected-accounts.service.js';
import { PendingAuthorizationServer } from './pending-authorization-server.js';

@Resolver(() => Connection)
@Authenticate('session', 'admin-token')
export class ConnectedAccountsResolver {
  private readonly accountsOf: RequestLoader<Principal, Page<ConnectedAccount>, ConnectedAccountsPageArgs>;
  private readonly pendingServers: RequestLoader<Principal, PendingAuthorizationServer | null>;

  constructor(accounts: ConnectedAccountsService, pins: AuthorizationServerPinsService) {
    this.accountsOf = new RequestLoader((principal, pages) => accounts.pagesOf(principal, pages));
    this.pendingServers = new RequestLoader((principal, ids) => pins.pendingOf(principal, ids));
  }

  @ResolveField(() => PendingAuthorizationServer, {
    nullable: true,
    description:
      'The authorization server that awaits confirmation by an administrator. Only for connections with personal credentials.',
  })
  @Allow('connections:manage')
  pendingAuthorizationServer(@CurrentPrincipal() principal: Principal, @Parent() { id }: Connection) {
    return this.pendingServers.load(principal, id);
  }

  @ResolveField(() => ConnectedAccountPage, {
    description: 'The accounts that people have connected, by name. Only for connections with personal credentials.',
  })
  @Allow('connections:manage')
  accounts(@CurrentPrincipal() principal: Principal, @Parent() { id }: Connection, @Args() { first, after }: PageArgs) {
    const [afterName, afterId] = after ? decodeCursor(after, ['text', 'id']) : [null, null];
    return this.accountsOf.load(principal, { id, first, after: afterId, afterName });
  }
}
