import { Int, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { RequestLoader } from '../../platform/graphql/request-loader.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { ApprovedKindEnum } from '../findings/approved/estate-approval.entity.js';
import type { ApprovableServer, ApprovedKind } from '../findings/approved/approved-list.js';
import { ApprovedServersService } from '../findings/approved/approved-servers.service.js';
import { EstateEntry } from './estate-entry.entity.js';
import { EstateServer } from './estate-server.entity.js';

/** Which approval allows an entry. */
@Resolver(() => EstateEntry)
@Authenticate('session', 'admin-token')
@Allow('estate:read')
export class EntryApprovalResolver {
  private readonly allowedBy: RequestLoader<Principal, ApprovedKind | null, ApprovableServer>;

  constructor(approved: ApprovedServersService) {
    this.allowedBy = new RequestLoader((principal, entries) => approved.allowedBy(principal, entries));
  }

  @ResolveField(() => ApprovedKindEnum, {
    nullable: true,
    description: 'The most specific approval that allows it; null: it is not approved.',
  })
  approvedBy(@CurrentPrincipal() principal: Principal, @Parent() entry: EstateEntry) {
    return this.allowedBy.load(principal, entry);
  }
}

/** How many definitions of a server are approved. */
@Resolver(() => EstateServer)
@Authenticate('session', 'admin-token')
@Allow('estate:read')
export class ServerApprovalResolver {
  private readonly approvedCounts: RequestLoader<Principal, number>;

  constructor(approved: ApprovedServersService) {
    this.approvedCounts = new RequestLoader((principal, ids) => approved.countApprovedDefinitions(principal, ids));
  }

  @ResolveField(() => Int, {
    description: 'The number of its definitions that are approved. Equal to "definitionCount": the server is approved.',
  })
  approvedDefinitionCount(@CurrentPrincipal() principal: Principal, @Parent() { id }: EstateServer) {
    return this.approvedCounts.load(principal, id);
  }
}
