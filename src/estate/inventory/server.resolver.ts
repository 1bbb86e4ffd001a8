import { Args, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { type Page, PageArgs, pageOfRow } from '../../platform/graphql/connection.js';
import { RequestLoader } from '../../platform/graphql/request-loader.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import type { EstateEntry } from './estate-entry.entity.js';
import { EstateServer } from './estate-server.entity.js';
import { EstateEntryConnection } from './inventory.input.js';
import { Inventory, type PageOfServer } from './inventory.service.js';

/** Where a server is declared. */
@Resolver(() => EstateServer)
@Authenticate('session', 'admin-token')
@Allow('estate:read')
export class EstateServerResolver {
  private readonly entriesOf: RequestLoader<Principal, Page<EstateEntry>, PageOfServer>;

  constructor(inventory: Inventory) {
    this.entriesOf = new RequestLoader((principal, pages) => inventory.entriesOfServers(principal, pages));
  }

  @ResolveField(() => EstateEntryConnection, { description: 'Wherever it is declared now.' })
  entries(@CurrentPrincipal() principal: Principal, @Parent() server: EstateServer, @Args() page: PageArgs) {
    return this.entriesOf.load(principal, { ...pageOfRow(server.id, page), server });
  }
}
