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
      'Connections that usage is synced from: their progress, failures, and the difference from the vendor’s totals.',
  })
  @Allow('spend:read')
  spendFeeds(@CurrentPrincipal() principal: Principal) {
    return this.feeds.list(principal);
  }

  @Query(() => SpendRunConnection, { description: 'Sync runs of a connection, newest first. Retained for 90 days.' })
  @Allow('spend:read')
  spendRuns(@CurrentPrincipal() principal: Principal, @Args() args: SpendRunsArgs) {
    return this.feeds.listRuns(principal, args.connectionId, args);
  }

  @Query(() => [SpendCoveredDay], {
    description: 'Coverage by day, newest first. Days before the first available day have no entry.',
  })
  @Allow('spend:read')
  spendCoverage(@CurrentPrincipal() principal: Principal, @Args() args: SpendDaysArgs) {
    return this.feeds.listDays(principal, args);
  }

  @Query(() => [SpendRevision], { description: 'Changes of the data of these days, newest first. At most 1,000.' })
  @Allow('spend:read')
  spendRevisions(@CurrentPrincipal() principal: Principal, @Args() args: SpendDaysArgs) {
    return this.feeds.listRevisions(principal, args);
  }

  @AllowAdminToken()
  @Mutation(() => SpendRun, {
    description: 'Syncs recent days again, at once or as soon as the vendor accepts requests.',
  })
  @Allow('spend:manage')
  syncSpend(@CurrentPrincipal() principal: Principal, @Args('input') { connectionId, days }: SyncSpendInput) {
    return this.feeds.requestSync(principal, connectionId, days);
  }
}
