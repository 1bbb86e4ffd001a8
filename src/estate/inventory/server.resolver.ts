import { Args, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { PageArgs } from '../../platform/graphql/connection.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { EstateServer } from './estate-server.entity.js';
import { EstateEntryConnection } from './inventory.input.js';
import { Inventory } from './inventory.service.js';

/** Where a server is declared. */
@Resolver(() => EstateServer)
@Authenticate('session', 'admin-token')
@Allow('estate:read')
export class EstateServerResolver {
  constructor(private readonly inventory: Inventory) {}

  @ResolveField(() => EstateEntryConnection, { description: 'Wherever it is declared now.' })
  entries(@CurrentPrincipal() principal: Principal, @Parent() server: EstateServer, @Args() page: PageArgs) {
    return this.inventory.entriesOfServer(principal, server, page);
  }
}
