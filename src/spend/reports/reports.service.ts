import { Injectable } from '@nestjs/common';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { invalidRequest } from '../../platform/errors/general.error.js';
import type { PageArgs } from '../../platform/graphql/connection.js';
import { dayDifference, isDay, plusDays, type DayRange } from '../../platform/time/day.js';
import type { Principal } from '../../principal/principal.js';
import { PeopleVisibilityService, type PeopleVisibility } from '../../people/people-visibility.service.js';
import type { SpendChanges } from './change.entity.js';
import type { ReportFilter, ReportQuery } from './report-selection.js';
import { ReportQueryService } from './report-query.service.js';
import { identityIdsOf, personIdsOf } from './report-subjects.js';
import { peopleNotShown } from './reports.error.js';
import type { SpendChangesArgs, SpendReportArgs, SpendReportFilter } from './reports.input.js';
import type { SpendFigures, SpendReport, SpendReportDays, SpendReportRow } from './spend-report.entity.js';

/** A report with its query, from which further fields are resolved. */
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
      const page = await this.queries.page(tx, query, args);
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

  /** Distinct people in all rows of the report. Null for reports by model. */
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
      const nodes = await this.queries.changes(tx, query, before, args.first);
      if (showsPeople(query))
        await this.peopleVisibility.recordRead(tx, principal, auditDetailOf(query, 'spendChanges'));
      return { from: args.from, to: args.to, beforeFrom: before.from, beforeTo: before.to, nodes };
    });
  }

  private async resolveQuery(
    tx: Tx,
    { tenantId }: Principal,
    { from, to, by, per, orderBy, where }: Omit<SpendReportArgs, keyof PageArgs>,
    visibility: PeopleVisibility,
  ): Promise<ReportQuery> {
    const { models, personIds, identityIds, ...others } = where ?? {};
    const { pseudonyms } = visibility;
    const narrowed: ReportFilter = {
      ...definedFilter(others),
      ...(personIds && { personIds: await personIdsOf(tx, tenantId, personIds, pseudonyms) }),
      ...(identityIds && { identityIds: await identityIdsOf(tx, tenantId, identityIds, pseudonyms) }),
      ...(models && { models: await this.queries.modelIdsOf(tx, tenantId, models) }),
    };
    const isOfModels = by === 'model' || narrowed.models !== undefined;
    const query = { tenantId, from, to, by, per, orderBy, isOfModels, pseudonyms, where: narrowed };
    return showsPeople(query) ? { ...query, where: restrictToVisible(narrowed, visibility) } : query;
  }
}

const definedFilter = (filter: Omit<SpendReportFilter, 'models' | 'personIds' | 'identityIds'>): ReportFilter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value != null));

export const showsPeople = ({ by, where }: Pick<ReportQuery, 'by' | 'where'>): boolean =>
  by === 'person' || where.personIds !== undefined || where.identityIds !== undefined;

/** Restricts the filter to the groups of the analyst. Rejects groups that the analyst has no access to. */
export function restrictToVisible(where: ReportFilter, { individuals }: PeopleVisibility): ReportFilter {
  if (individuals === 'all') return where;
  const groupIds = individuals === 'none' ? [] : (where.groupIds ?? individuals);
  const isVisible = groupIds.length > 0 && groupIds.every((id) => individuals.includes(id));
  if (!isVisible) throw peopleNotShown('Request totals, or only groups whose individual usage you have access to.');
  return { ...where, groupIds };
}

export function checkRange({ from, to }: DayRange): void {
  if (![from, to].every(isDay))
    throw invalidRequest('"from" and "to" must be days between 2000 and 2199, such as 2026-11-20.');
  if (from > to) throw invalidRequest('"from" must not be after "to".');
  if (dayDifference(from, to) > maxReportDays)
    throw invalidRequest('The range is longer than ten years. Request a shorter one.');
}

/** The given range, or the same number of days immediately before. */
function rangeBefore({ from, to, beforeFrom, beforeTo }: SpendChangesArgs): DayRange {
  if (!beforeFrom !== !beforeTo) throw invalidRequest('"beforeFrom" and "beforeTo" must be set together.');
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
