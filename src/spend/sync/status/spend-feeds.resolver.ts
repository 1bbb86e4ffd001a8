import { Args, Mutation, Query, Resolver } from '@nestjs/graphql';
import { Allow, AllowAdminToken, Authenticate } from '../../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../../principal/current-principal.decorator.js';
import type { Principal } from '../../../principal/principal.js';
import { SpendCoveredDay, SpendRevision } from './covered-day.entity.js';
import { SyncSpendInput, SpendDaysArgs, SpendRunsArgs } from './spend-feeds.input.js';
import { SpendFeedsService } from './spend-feeds.service.js';
import { SpendFeed, SpendRun, SpendRunConnection } from './spend-feed.entity.js';

@Resolver(() => SpendFeed)
@Authenticate('session', 'admin-token')
export class SpendFeedsResolver {
  constructor(private readonly feeds: SpendFeedsService) {}

  @Query(() => [SpendFeed], {
    description:
      'The connections that usage is pulled from: how far that is, what keeps it from going on, and how well sums agree.',
  })
  @Allow('spend:read')
  spendFeeds(@CurrentPrincipal() principal: Principal) {
    return this.feeds.list(principal);
  }

  @Query(() => SpendRunConnection, { description: 'Pulls of a connection, newest first. Kept for 90 days.' })
  @Allow('spend:read')
  spendRuns(@CurrentPrincipal() principal: Principal, @Args() args: SpendRunsArgs) {
    return this.feeds.listRuns(principal, args.connectionId, args);
  }

  @Query(() => [SpendCoveredDay], {
    description: 'What is known of which days, newest first. Days before the first one have no row.',
  })
  @Allow('spend:read')
  spendCoverage(@CurrentPrincipal() principal: Principal, @Args() args: SpendDaysArgs) {
    return this.feeds.listDays(principal, args);
  }

  @Query(() => [SpendRevision], { description: 'What of these days changed when, newest change first; 1,000 at most.' })
  @Allow('spend:read')
  spendRevisions(@CurrentPrincipal() principal: Principal, @Args() args: SpendDaysArgs) {
    return this.feeds.listRevisions(principal, args);
  }

  @AllowAdminToken()
  @Mutation(() => SpendRun, { description: 'Reads days anew, at once or as soon as the vendor may be asked.' })
  @Allow('spend:manage')
  syncSpend(@CurrentPrincipal() principal: Principal, @Args('input') { connectionId, days }: SyncSpendInput) {
    return this.feeds.requestSync(principal, connectionId, days);
  }
}
