import { Args, Query, Resolver } from '@nestjs/graphql';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { SpendIdleSeatConnection, SpendSeats } from './seat.entity.js';
import { SpendIdleSeatsArgs, SpendSeatsArgs } from './seats.input.js';
import { SeatsService } from './seats.service.js';

@Resolver(() => SpendSeats)
@Authenticate('session', 'admin-token')
export class SeatsResolver {
  constructor(private readonly seats: SeatsService) {}

  @Query(() => SpendSeats, { description: 'Number of paid seats, and how many of them are used.' })
  @Allow('spend:read')
  spendSeats(@CurrentPrincipal() principal: Principal, @Args() args: SpendSeatsArgs): Promise<SpendSeats> {
    return this.seats.count(principal, args);
  }

  @Query(() => SpendIdleSeatConnection, {
    description:
      'Paid seats that were not used recently: never used ones first, then by month of last use. Visible only to analysts with access, and each access is audited.',
  })
  @Allow('spend:read')
  spendIdleSeats(@CurrentPrincipal() principal: Principal, @Args() args: SpendIdleSeatsArgs) {
    return this.seats.listIdle(principal, args);
  }
}
