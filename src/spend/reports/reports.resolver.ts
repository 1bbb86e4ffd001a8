import { Args, Int, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { Allow, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { SpendChanges } from './change.entity.js';
import { SpendChangesArgs, SpendReportArgs } from './reports.input.js';
import { type ReportWithQuery, ReportsService } from './reports.service.js';
import { SpendFigures, SpendReport, SpendReportDays, SpendReportRow } from './spend-report.entity.js';

/** Rows of one report share one query for active people. */
type Row = SpendReportRow & { counted?: () => Promise<Map<string, number>> };
type CountedTotal = SpendFigures & { counted?: () => Promise<number | null> };

@Resolver(() => SpendReport)
@Authenticate('session', 'admin-token')
export class ReportsResolver {
  constructor(private readonly reports: ReportsService) {}

  @Query(() => SpendReport, {
    description:
      'Cost and usage of AI assistants by person, group, cost centre, model or connection, per day, week or month. All past usage of a person counts for their current group and cost centre. Individual usage is visible only to analysts with access, and each access is audited.',
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
      'The largest changes between two ranges of days. Individual usage is visible only to analysts with access, and each access is audited.',
  })
  @Allow('spend:read')
  spendChanges(@CurrentPrincipal() principal: Principal, @Args() args: SpendChangesArgs): Promise<SpendChanges> {
    return this.reports.changes(principal, args);
  }

  @ResolveField(() => SpendFigures, { description: 'Total of all rows on all pages.' })
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
