import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { CallReviewsService } from './call-reviews.service.js';
import { CallReview } from './call-review.entity.js';
import { ReviewedConnection } from './call-review-context.entity.js';
import { CallReviewContextService } from './call-review-context.service.js';

/** Resolves the ids of a review to names, for members who can see the review. */
@Resolver(() => CallReview)
@Authenticate('session')
@Allow('approvals:decide')
export class CallReviewResolver {
  constructor(
    private readonly callReviews: CallReviewsService,
    private readonly callReviewContext: CallReviewContextService,
  ) {}

  @ResolveField(() => String, {
    nullable: true,
    description:
      'The arguments in their canonical form (RFC 8785). Null: they cannot be decrypted, so the call can only be denied.',
  })
  arguments(@Parent() review: CallReview) {
    return this.callReviews.findArguments(review);
  }

  @ResolveField(() => String, { nullable: true, description: 'The name of the configuration; null if it was removed.' })
  configurationName(@CurrentPrincipal() principal: Principal, @Parent() review: CallReview) {
    return this.callReviewContext.configurationName(principal, review);
  }

  @ResolveField(() => ReviewedConnection, { nullable: true, description: 'Null for built-in tools.' })
  connection(@CurrentPrincipal() principal: Principal, @Parent() review: CallReview) {
    return this.callReviewContext.connection(principal, review);
  }
}
