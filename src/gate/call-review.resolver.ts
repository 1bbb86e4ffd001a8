import { Parent, ResolveField, Resolver } from '@nestjs/graphql';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { CallReview } from './call-review.entity.js';
import { ReviewedConnection } from './call-review-context.entity.js';
import { CallReviewContextService } from './call-review-context.service.js';

/** For whoever the exhibit was shown to: what its ids stand for. */
@Resolver(() => CallReview)
@Authenticate('session')
@Allow('approvals:decide')
export class CallReviewResolver {
  constructor(private readonly callReviewContext: CallReviewContextService) {}

  @ResolveField(() => String, { nullable: true, description: 'The name of the configuration; null if it was removed' })
  configurationName(@CurrentPrincipal() principal: Principal, @Parent() exhibit: CallReview) {
    return this.callReviewContext.configurationName(principal, exhibit);
  }

  @ResolveField(() => ReviewedConnection, { nullable: true, description: 'Null for what the product does by itself.' })
  connection(@CurrentPrincipal() principal: Principal, @Parent() exhibit: CallReview) {
    return this.callReviewContext.connection(principal, exhibit);
  }
}
