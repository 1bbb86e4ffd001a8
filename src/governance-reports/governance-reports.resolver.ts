import { Args, ArgsType, Field, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { IsString } from 'class-validator';
import { PageArgs } from '../platform/graphql/connection.js';
import type { DayRange } from '../platform/time/day.js';
import { Allow, Authenticate } from '../principal/allow.decorator.js';
import { CurrentPrincipal } from '../principal/current-principal.decorator.js';
import type { Principal } from '../principal/principal.js';
import { DecisionTimesService } from './decision-times.service.js';
import {
  ApproverDecisionTimes,
  DecisionPeriod,
  GovernanceReport,
  StepDecisionTimes,
  UnmatchedPolicyRules,
  UnusedTools,
  UnviewedDecisionConnection,
} from './governance-report.object.js';
import { GovernanceReportsService } from './governance-reports.service.js';
import type { ReportRange } from './report-range.js';

@ArgsType()
class ReportRangeArgs implements DayRange {
  @Field({ description: 'The first UTC day, such as 2026-11-01.' })
  @IsString()
  from: string;

  @Field({ description: 'The last UTC day. A range has at most 366 days.' })
  @IsString()
  to: string;
}

@Resolver(() => GovernanceReport)
@Authenticate('session', 'admin-token')
@Allow('audit:read')
export class GovernanceReportsResolver {
  constructor(
    private readonly reports: GovernanceReportsService,
    private readonly decisionTimes: DecisionTimesService,
  ) {}

  @Query(() => GovernanceReport, { description: 'For administrators and auditors.' })
  governanceReport(@Args() range: ReportRangeArgs): ReportRange {
    return this.reports.rangeOf(range);
  }

  @ResolveField(() => [StepDecisionTimes], { description: 'By name of the approval step.' })
  steps(@CurrentPrincipal() principal: Principal, @Parent() range: ReportRange) {
    return this.decisionTimes.listSteps(principal, range);
  }

  @ResolveField(() => [ApproverDecisionTimes], { description: 'Most decisions first, at most 500 members.' })
  approvers(@CurrentPrincipal() principal: Principal, @Parent() range: ReportRange) {
    return this.decisionTimes.listApprovers(principal, range);
  }

  @ResolveField(() => [DecisionPeriod], { description: 'Oldest first.' })
  periods(@CurrentPrincipal() principal: Principal, @Parent() range: ReportRange) {
    return this.decisionTimes.listPeriods(principal, range);
  }

  @ResolveField(() => UnviewedDecisionConnection, { description: 'Newest first.' })
  unviewedDecisions(@CurrentPrincipal() principal: Principal, @Parent() range: ReportRange, @Args() page: PageArgs) {
    return this.decisionTimes.listUnviewed(principal, range, page);
  }

  @ResolveField(() => UnmatchedPolicyRules)
  unmatchedPolicyRules(@CurrentPrincipal() principal: Principal, @Parent() range: ReportRange) {
    return this.reports.unmatchedPolicyRules(principal, range);
  }

  @ResolveField(() => UnusedTools)
  unusedTools(@CurrentPrincipal() principal: Principal, @Parent() range: ReportRange) {
    return this.reports.unusedTools(principal, range);
  }
}
