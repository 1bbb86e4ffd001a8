import { Args, Int, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { type Page, PageArgs, nestedPage } from '../../platform/graphql/connection.js';
import { RequestLoader } from '../../platform/graphql/request-loader.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { ApprovedServersService } from '../findings/approved/approved-servers.service.js';
import { EstateServer } from './estate-server.entity.js';
import { EstateEntryConnection } from './inventory.input.js';
import type { InventoryEntry } from './inventory-rows.js';
import { InventoryService, type ServerEntriesPage } from './inventory.service.js';

/** The declarations of a server, and how many of their definitions are approved. */
@Resolver(() => EstateServer)
@Authenticate('session', 'admin-token')
@Allow('estate:read')
export class EstateServerResolver {
  private readonly entriesOf: RequestLoader<Principal, Page<InventoryEntry>, ServerEntriesPage>;
  private readonly approvedCounts: RequestLoader<Principal, number>;

  constructor(inventory: InventoryService, approved: ApprovedServersService) {
    this.entriesOf = new RequestLoader((principal, pages) => inventory.listEntriesOfServers(principal, pages));
    this.approvedCounts = new RequestLoader((principal, ids) => approved.countApprovedDefinitions(principal, ids));
  }

  @ResolveField(() => EstateEntryConnection, { description: 'Its current declarations in files.' })
  entries(@CurrentPrincipal() principal: Principal, @Parent() server: EstateServer, @Args() page: PageArgs) {
    return this.entriesOf.load(principal, { ...nestedPage(server.id, page), server });
  }

  @ResolveField(() => Int, {
    description: 'The number of its definitions that are approved. Equal to "definitionCount": the server is approved.',
  })
  approvedDefinitionCount(@CurrentPrincipal() principal: Principal, @Parent() { id }: EstateServer) {
    return this.approvedCounts.load(principal, id);
  }
}
