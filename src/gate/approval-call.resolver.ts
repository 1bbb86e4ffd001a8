import { Args, Mutation, Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { Approval } from '../approvals/approval.entity.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { CallReview } from './call-review.entity.js';
import { CallReviewsService } from './call-reviews.service.js';
import { DecideApprovalInput, OverrideApprovalInput } from './decide-approval.input.js';

/** Adds the tool call to an approval: the approvals module does not know calls. */
@Resolver(() => Approval)
@Authenticate('session')
export class ApprovalCallResolver {
  constructor(private readonly callReviews: CallReviewsService) {}

  @ResolveField(() => CallReview, { description: 'The tool call to decide on.' })
  @Allow('approvals:decide')
  call(@Parent() approval: Approval) {
    return this.callReviews.getOf(approval);
  }

  @Mutation(() => Approval, {
    description:
      'Approves or denies a call, once. The result is "void" if the call would no longer run as requested; then nothing was approved.',
  })
  @Allow('approvals:decide')
  decideApproval(@CurrentPrincipal() principal: Principal, @Args('input') input: DecideApprovalInput) {
    return this.callReviews.decide(principal, input);
  }

  @Mutation(() => Approval, {
    description:
      'Approves a pending step in place of its approvers, with break-glass rights that were granted before the call was requested. Never by a requester. Notifies all administrators and the approvers, and has to be reviewed by another member. The result is "void" if the call would no longer run as requested. Requires a session in which you confirmed your identity within the last ten minutes.',
  })
  @Allow('approvals:decide')
  overrideApproval(@CurrentPrincipal() principal: Principal, @Args('input') input: OverrideApprovalInput) {
    return this.callReviews.override(principal, input);
  }
}
