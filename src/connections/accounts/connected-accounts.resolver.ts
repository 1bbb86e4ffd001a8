import { Args, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { PageArgs } from '../../platform/graphql/connection.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { Connection } from '../connection.entity.js';
import { ConnectedAccountPage } from './connected-account.js';
import { ConnectedAccounts } from './connected-accounts.service.js';

@Resolver(() => Connection)
@Authenticate('session', 'admin-token')
export class ConnectedAccountsResolver {
  constructor(private readonly all: ConnectedAccounts) {}

  @ResolveField(() => ConnectedAccountPage, {
    description: 'Who has connected an account of their own, by name; of connections with personal credentials.',
  })
  @Allow('connections:manage')
  accounts(@CurrentPrincipal() principal: Principal, @Parent() connection: Connection, @Args() page: PageArgs) {
    return this.all.of(principal, connection.id, page);
  }
}
