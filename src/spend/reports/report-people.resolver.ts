import { Args, Query, Resolver } from '@nestjs/graphql';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { ReportPeopleArgs } from './report-people.input.js';
import { ReportPeopleService } from './report-people.service.js';
import { SpendReportPerson } from './report-person.entity.js';

@Resolver(() => SpendReportPerson)
@Authenticate('session', 'admin-token')
export class ReportPeopleResolver {
  constructor(private readonly people: ReportPeopleService) {}

  @Query(() => [SpendReportPerson], {
    description:
      'People to filter reports by, by name: only those whose individual usage you may see. Contains no usage.',
  })
  @Allow('spend:read')
  spendReportPeople(@CurrentPrincipal() principal: Principal, @Args() args: ReportPeopleArgs) {
    return this.people.list(principal, args);
  }
}
