import { Args, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { PageArgs } from '../../platform/graphql/connection.js';
import { RequestLoader } from '../../platform/graphql/request-loader.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { Connection } from '../connection.entity.js';
import { AuthorizationServerPins } from './authorization-server-pins.service.js';
import { ConnectedAccountPage } from './connected-account.js';
import { ConnectedAccounts } from './connected-accounts.service.js';
import { PendingAuthorizationServer } from './pending-authorization-server.js';

@Resolver(() => Connection)
@Authenticate('session', 'admin-token')
export class ConnectedAccountsResolver {
  private readonly pendingServers: RequestLoader<Principal, PendingAuthorizationServer | null>;

  constructor(
    private readonly all: ConnectedAccounts,
    pins: AuthorizationServerPins,
  ) {
    this.pendingServers = new RequestLoader((principal, ids) => pins.pendingOf(principal, ids));
  }

  @ResolveField(() => PendingAuthorizationServer, {
    nullable: true,
    description: 'Waits for an administrator; of connections with personal credentials.',
  })
  @Allow('connections:manage')
  pendingAuthorizationServer(@CurrentPrincipal() principal: Principal, @Parent() { id }: Connection) {
    return this.pendingServers.load(principal, id);
  }

  @ResolveField(() => ConnectedAccountPage, {
    description: 'Who has connected an account of their own, by name; of connections with personal credentials.',
  })
  @Allow('connections:manage')
  accounts(@CurrentPrincipal() principal: Principal, @Parent() connection: Connection, @Args() page: PageArgs) {
    return this.all.of(principal, connection.id, page);
  }
}
