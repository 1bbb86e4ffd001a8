import { Args, Int, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { SpendChanges } from './change.entity.js';
import { SpendChangesArgs, SpendReportArgs } from './reports.input.js';
import { type ReportWithQuery, ReportsService } from './reports.service.js';
import { SpendFigures, SpendReport, SpendReportDays, SpendReportRow } from './spend-report.entity.js';

/** Rows of one report count their people together. */
type Row = SpendReportRow & { counted?: () => Promise<Map<string, number>> };
type CountedTotal = SpendFigures & { counted?: () => Promise<number | null> };

@Resolver(() => SpendReport)
@Authenticate('session', 'admin-token')
export class ReportsResolver {
  constructor(private readonly reports: ReportsService) {}

  @Query(() => SpendReport, {
    description:
      'What AI assistants cost and bring: sums by person, group, cost centre, model or connection, by day, week or month. People count where they belong now, with all of their past. Single people are shown to analysts, of their groups, and each such look is recorded.',
  })
  @Allow('spend:read')
  async spendReport(@CurrentPrincipal() principal: Principal, @Args() args: SpendReportArgs) {
    const report = await this.reports.report(principal, args);
    if (report.question.isOfModels) return report;
    let counting: Promise<Map<string, number>> | undefined;
    const counted = () => (counting ??= this.reports.activePeople(principal, report.question, report.nodes));
    return { ...report, nodes: report.nodes.map((row) => ({ ...row, counted })) };
  }

  @Query(() => SpendChanges, {
    description:
      'What changed most between two ranges of days, by whom or what. Single people are shown to analysts, of their groups, and each such look is recorded.',
  })
  @Allow('spend:read')
  spendChanges(@CurrentPrincipal() principal: Principal, @Args() args: SpendChangesArgs): Promise<SpendChanges> {
    return this.reports.changes(principal, args);
  }

  @ResolveField(() => SpendFigures, { description: 'Of all rows on all pages together.' })
  async total(@CurrentPrincipal() principal: Principal, @Parent() report: ReportWithQuery): Promise<CountedTotal> {
    const total = await this.reports.total(principal, report);
    return { ...total, counted: () => this.reports.totalActivePeople(principal, report) };
  }

  @ResolveField(() => SpendReportDays)
  days(@CurrentPrincipal() principal: Principal, @Parent() report: ReportWithQuery): Promise<SpendReportDays> {
    return this.reports.days(principal, report);
  }
}

@Resolver(() => SpendFigures)
@Authenticate('session', 'admin-token')
export class FiguresResolver {
  @ResolveField(() => Int, { nullable: true })
  async activePeople(@Parent() { counted }: CountedTotal): Promise<number | null> {
    return (await counted?.()) ?? null;
  }
}

@Resolver(() => SpendReportRow)
@Authenticate('session', 'admin-token')
export class ReportRowsResolver {
  @ResolveField(() => Int, { nullable: true })
  async activePeople(@Parent() { counted, period, key }: Row): Promise<number | null> {
    return counted ? ((await counted()).get(`${period} ${key}`) ?? 0) : null;
  }
}
