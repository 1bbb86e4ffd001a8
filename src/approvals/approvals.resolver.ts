import { Args, ObjectType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { PageArgs, Paginated } from '../platform/graphql/connection.js';
import { IdArgument } from '../platform/graphql/id-argument.decorator.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { Approval, type ApprovalState, approvalStates } from './approval.entity.js';
import { ApprovalsService } from './approvals.service.js';

@ObjectType()
export class ApprovalConnection extends Paginated(Approval) {}

/** Persons only, in a session: no admin token reads the inbox or decides. */
@Resolver(() => Approval)
@Authenticate('session')
export class ApprovalsResolver {
  constructor(private readonly service: ApprovalsService) {}

  @Query(() => ApprovalConnection, {
    description: 'What you asked for, decided or may decide, newest first; for auditors and administrators all.',
  })
  @Allow('approvals:decide')
  approvals(
    @CurrentPrincipal() principal: Principal,
    @Args() page: PageArgs,
    @Args('state', { type: () => approvalStates, nullable: true }) state?: ApprovalState | null,
  ) {
    return this.service.list(principal, page, state);
  }

  @Query(() => Approval)
  @Allow('approvals:decide')
  approval(@CurrentPrincipal() principal: Principal, @IdArgument() id: string) {
    return this.service.get(principal, id);
  }

  @ResolveField(() => Boolean, { description: 'You may decide it now.' })
  isOpenToMe(@CurrentPrincipal() principal: Principal, @Parent() approval: Approval) {
    return this.service.isOpenTo(principal, approval);
  }
}
