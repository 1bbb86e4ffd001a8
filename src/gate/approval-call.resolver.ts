import { Args, Mutation, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { Approval } from '../approvals/approval.entity.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { CallReview } from './call-review.entity.js';
import { CallsService } from './calls.service.js';
import { DecideApprovalInput } from './decide-approval.input.js';

/** What an approval is about is known up here. */
@Resolver(() => Approval)
@Authenticate('session')
export class ApprovalCallResolver {
  constructor(private readonly calls: CallsService) {}

  @ResolveField(() => CallReview, { description: 'What is to be decided on.' })
  @Allow('approvals:decide')
  call(@Parent() approval: Approval) {
    return this.calls.getReviewOf(approval);
  }

  @Mutation(() => Approval, {
    description:
      'Decides once. The answer may be "void": the call would not run as asked any more, so nothing was approved.',
  })
  @Allow('approvals:decide')
  decideApproval(@CurrentPrincipal() principal: Principal, @Args('input') input: DecideApprovalInput) {
    return this.calls.decide(principal, input);
  }
}
