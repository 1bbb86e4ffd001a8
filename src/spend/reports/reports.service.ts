import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { DatabaseService } from '../../platform/database/database.service.js';
import { invalidRequest } from '../../platform/errors/general.error.js';
import type { PageArgs } from '../../platform/graphql/connection.js';
import type { Principal } from '../../principal/principal.js';
import { PeopleVisibilityService, type PeopleVisibility } from '../people/people-visibility.service.js';
import { dayDifference, isDay, plusDays, type DayRange } from './day-range.js';
import type { SpendChanges } from './change.entity.js';
import type { ReportFilter, ReportQuery } from './report-selection.js';
import { ReportQueryService } from './report-query.service.js';
import { peopleNotShown } from './reports.error.js';
import type { SpendChangesArgs, SpendReportArgs, SpendReportFilter } from './reports.input.js';
import type { SpendFigures, SpendReport, SpendReportDays, SpendReportRow } from './spend-report.entity.js';

/** A report, and what can still be asked of it. */
export type ReportWithQuery = SpendReport & { question: ReportQuery };

const maxReportDays = 3660;

@Injectable()
export class ReportsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly peopleVisibility: PeopleVisibilityService,
    private readonly queries: ReportQueryService,
  ) {}

  report(principal: Principal, args: SpendReportArgs): Promise<ReportWithQuery> {
    checkRange(args);
    return this.database.tenant(principal, async (tx) => {
      const visibility = await this.peopleVisibility.resolve(principal, tx);
      const query = await this.resolveQuery(tx, principal, args, visibility);
      const page = await this.queries.page(tx, query, args, visibility.ids);
      if (showsPeople(query))
        await this.peopleVisibility.recordRead(tx, principal, auditDetailOf(query, 'spendReport'));
      return { from: args.from, to: args.to, ...page, question: query };
    });
  }

  total(principal: Principal, { question }: ReportWithQuery): Promise<SpendFigures> {
    return this.database.tenant(principal, (tx) => this.queries.total(tx, question));
  }

  days(principal: Principal, { question }: ReportWithQuery): Promise<SpendReportDays> {
    return this.database.tenant(principal, (tx) => this.queries.days(tx, question));
  }

  activePeople(
    principal: Principal,
    query: ReportQuery,
    rows: readonly Pick<SpendReportRow, 'period' | 'key'>[],
  ): Promise<Map<string, number>> {
    return this.database.tenant(principal, (tx) => this.queries.activePeople(tx, query, rows));
  }

  /** Different people in all of its rows together; null by model. */
  async totalActivePeople(principal: Principal, { question }: ReportWithQuery): Promise<number | null> {
    if (question.isOfModels) return null;
    const whole: ReportQuery = { ...question, by: 'nothing', per: 'whole' };
    const counted = await this.activePeople(principal, whole, [{ period: 0, key: '' }]);
    return counted.get('0 ') ?? 0;
  }

  changes(principal: Principal, args: SpendChangesArgs): Promise<SpendChanges> {
    checkRange(args);
    const before = rangeBefore(args);
    checkRange(before);
    return this.database.tenant(principal, async (tx) => {
      const visibility = await this.peopleVisibility.resolve(principal, tx);
      const query = await this.resolveQuery(tx, principal, { ...args, per: 'whole' }, visibility);
      const nodes = await this.queries.changes(tx, query, before, args.first, visibility.ids);
      if (showsPeople(query))
        await this.peopleVisibility.recordRead(tx, principal, auditDetailOf(query, 'spendChanges'));
      return { from: args.from, to: args.to, beforeFrom: before.from, beforeTo: before.to, nodes };
    });
  }

  private async resolveQuery(
    tx: EntityManager,
    { tenantId }: Principal,
    { from, to, by, per, orderBy, where }: Omit<SpendReportArgs, keyof PageArgs>,
    visibility: PeopleVisibility,
  ): Promise<ReportQuery> {
    const { models, ...others } = where ?? {};
    const narrowed: ReportFilter = {
      ...unmaskedFilter(definedFilter(others), visibility),
      ...(models && { models: await this.queries.modelIdsOf(tx, tenantId, models) }),
    };
    const isOfModels = by === 'model' || narrowed.models !== undefined;
    const query = { tenantId, from, to, by, per, orderBy, isOfModels, where: narrowed };
    return showsPeople(query) ? { ...query, where: restrictToVisible(narrowed, visibility) } : query;
  }
}

const definedFilter = (filter: Omit<SpendReportFilter, 'models'>): ReportFilter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value != null));

/** Who goes by a pseudonym is asked for by the number that was shown with it. */
const unmaskedFilter = (
  { personIds, identityIds, ...others }: ReportFilter,
  { ids }: PeopleVisibility,
): ReportFilter => ({
  ...others,
  ...(personIds && { personIds: personIds.map((id) => ids.unmaskPersonId(id)) }),
  ...(identityIds && { identityIds: identityIds.map((id) => ids.unmaskIdentityId(id)) }),
});

export const showsPeople = ({ by, where }: Pick<ReportQuery, 'by' | 'where'>): boolean =>
  by === 'person' || where.personIds !== undefined || where.identityIds !== undefined;

/** Analysts see the people of their groups: all of these, or those of them that they ask for. */
export function restrictToVisible(where: ReportFilter, { individuals }: PeopleVisibility): ReportFilter {
  if (individuals === 'all') return where;
  const groupIds = individuals === 'none' ? [] : (where.groupIds ?? individuals);
  const isSeen = groupIds.length > 0 && groupIds.every((id) => individuals.includes(id));
  if (!isSeen) throw peopleNotShown('Ask for sums, or for groups whose people are shown to you.');
  return { ...where, groupIds };
}

export function checkRange({ from, to }: DayRange): void {
  if (![from, to].every(isDay)) throw invalidRequest('"from" and "to" have to be days of this century or the next.');
  if (from > to) throw invalidRequest('"from" is after "to".');
  if (dayDifference(from, to) > maxReportDays) throw invalidRequest('At most ten years are told at once.');
}

/** As many days right before, unless it was said which. */
function rangeBefore({ from, to, beforeFrom, beforeTo }: SpendChangesArgs): DayRange {
  if (!beforeFrom !== !beforeTo) throw invalidRequest('"beforeFrom" and "beforeTo" belong together.');
  if (beforeFrom && beforeTo) return { from: beforeFrom, to: beforeTo };
  return { from: plusDays(from, -dayDifference(from, to) - 1), to: plusDays(from, -1) };
}

function auditDetailOf({ by, per, from, to, where }: ReportQuery, report: string): Record<string, unknown> {
  const { personIds, identityIds, groupIds } = where;
  return {
    report,
    by,
    per,
    from,
    to,
    ...(groupIds && { groupIds }),
    ...(personIds && { personIds }),
    ...(identityIds && { identityIds }),
  };
}
