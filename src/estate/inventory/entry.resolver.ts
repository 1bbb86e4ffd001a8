import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { RequestLoader } from '../../platform/graphql/request-loader.js';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import type { ResourceKind } from '../configuration-file.js';
import { ResourceKindEnum } from '../enums.js';
import { ApprovedKindEnum } from '../findings/approved/estate-approval.entity.js';
import type { ApprovableServer, ApprovedKind } from '../findings/approved/approved-list.js';
import { ApprovedServersService } from '../findings/approved/approved-servers.service.js';
import { EstateEntry } from './estate-entry.entity.js';

/** What is derived for an entry. */
@Resolver(() => EstateEntry)
@Authenticate('session', 'admin-token')
@Allow('estate:read')
export class EstateEntryResolver {
  private readonly approvals: RequestLoader<Principal, ApprovedKind | null, ApprovableServer>;

  constructor(approved: ApprovedServersService) {
    this.approvals = new RequestLoader((principal, entries) => approved.allowedBy(principal, entries));
  }

  @ResolveField(() => ResourceKindEnum, { description: 'Always "mcp_server_deployment".' })
  kind(): ResourceKind {
    return 'mcp_server_deployment';
  }

  @ResolveField(() => ApprovedKindEnum, {
    nullable: true,
    description: 'The most specific approval that allows it; null: it is not approved.',
  })
  approvedBy(@CurrentPrincipal() principal: Principal, @Parent() entry: EstateEntry) {
    return this.approvals.load(principal, entry);
  }
}
