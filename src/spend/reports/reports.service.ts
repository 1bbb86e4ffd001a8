import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { Database } from '../../platform/database/database.service.js';
import { invalidRequest } from '../../platform/errors/general.error.js';
import type { PageArgs } from '../../platform/graphql/connection.js';
import type { Principal } from '../../principal/principal.js';
import { Sight, type Seen } from '../people/sight.service.js';
import { daysBetween, isDay, plusDays, type Range } from './calendar.js';
import type { SpendChanges } from './change.entity.js';
import type { Narrowed, ReportQuestion } from './question.js';
import { ReportReader } from './report-reader.service.js';
import { peopleNotShown } from './reports.error.js';
import type { SpendChangesArgs, SpendReportArgs, SpendReportFilter } from './reports.input.js';
import type { SpendFigures, SpendReport, SpendReportDays, SpendReportRow } from './spend-report.entity.js';

/** A report, and what can still be asked of it. */
export type AskedReport = SpendReport & { question: ReportQuestion };

const longestDays = 3660;

@Injectable()
export class Reports {
  constructor(
    private readonly database: Database,
    private readonly sight: Sight,
    private readonly reader: ReportReader,
  ) {}

  report(principal: Principal, args: SpendReportArgs): Promise<AskedReport> {
    checkRange(args);
    return this.database.tenant(principal, async (tx) => {
      const seen = await this.sight.of(principal, tx);
      const question = await this.question(tx, principal, args, seen);
      const page = await this.reader.page(tx, question, args, seen.ids);
      if (showsPeople(question)) await this.sight.recordRead(tx, principal, auditOf(question, 'spendReport'));
      return { from: args.from, to: args.to, ...page, question };
    });
  }

  total(principal: Principal, { question }: AskedReport): Promise<SpendFigures> {
    return this.database.tenant(principal, (tx) => this.reader.total(tx, question));
  }

  days(principal: Principal, { question }: AskedReport): Promise<SpendReportDays> {
    return this.database.tenant(principal, (tx) => this.reader.days(tx, question));
  }

  activePeople(
    principal: Principal,
    question: ReportQuestion,
    rows: readonly Pick<SpendReportRow, 'period' | 'key'>[],
  ): Promise<Map<string, number>> {
    return this.database.tenant(principal, (tx) => this.reader.activePeople(tx, question, rows));
  }

  /** Different people in all of its rows together; null by model. */
  async activeInAll(principal: Principal, { question }: AskedReport): Promise<number | null> {
    if (question.isOfModels) return null;
    const whole: ReportQuestion = { ...question, by: 'nothing', per: 'whole' };
    const counted = await this.activePeople(principal, whole, [{ period: 0, key: '' }]);
    return counted.get('0 ') ?? 0;
  }

  changes(principal: Principal, args: SpendChangesArgs): Promise<SpendChanges> {
    checkRange(args);
    const before = rangeBefore(args);
    checkRange(before);
    return this.database.tenant(principal, async (tx) => {
      const seen = await this.sight.of(principal, tx);
      const question = await this.question(tx, principal, { ...args, per: 'whole' }, seen);
      const nodes = await this.reader.changes(tx, question, before, args.first, seen.ids);
      if (showsPeople(question)) await this.sight.recordRead(tx, principal, auditOf(question, 'spendChanges'));
      return { from: args.from, to: args.to, beforeFrom: before.from, beforeTo: before.to, nodes };
    });
  }

  private async question(
    tx: EntityManager,
    { tenantId }: Principal,
    { from, to, by, per, orderBy, where }: Omit<SpendReportArgs, keyof PageArgs>,
    seen: Seen,
  ): Promise<ReportQuestion> {
    const { models, ...others } = where ?? {};
    const narrowed: Narrowed = {
      ...meant(named(others), seen),
      ...(models && { models: await this.reader.modelsNamed(tx, tenantId, models) }),
    };
    const isOfModels = by === 'model' || narrowed.models !== undefined;
    const question = { tenantId, from, to, by, per, orderBy, isOfModels, where: narrowed };
    return showsPeople(question) ? { ...question, where: onlySeen(narrowed, seen) } : question;
  }
}

const named = (filter: Omit<SpendReportFilter, 'models'>): Narrowed =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value != null));

/** Who goes by a pseudonym is asked for by the number that was shown with it. */
const meant = ({ personIds, identityIds, ...others }: Narrowed, { ids }: Seen): Narrowed => ({
  ...others,
  ...(personIds && { personIds: personIds.map((id) => ids.personOf(id)) }),
  ...(identityIds && { identityIds: identityIds.map((id) => ids.identityOf(id)) }),
});

export const showsPeople = ({ by, where }: Pick<ReportQuestion, 'by' | 'where'>): boolean =>
  by === 'person' || where.personIds !== undefined || where.identityIds !== undefined;

/** Analysts see the people of their groups: all of these, or those of them that they ask for. */
export function onlySeen(where: Narrowed, { individuals }: Seen): Narrowed {
  if (individuals === 'all') return where;
  const groupIds = individuals === 'none' ? [] : (where.groupIds ?? individuals);
  const isSeen = groupIds.length > 0 && groupIds.every((id) => individuals.includes(id));
  if (!isSeen) throw peopleNotShown('Ask for sums, or for groups whose people are shown to you.');
  return { ...where, groupIds };
}

export function checkRange({ from, to }: Range): void {
  if (![from, to].every(isDay)) throw invalidRequest('"from" and "to" have to be days of this century or the next.');
  if (from > to) throw invalidRequest('"from" is after "to".');
  if (daysBetween(from, to) > longestDays) throw invalidRequest('At most ten years are told at once.');
}

/** As many days right before, unless it was said which. */
function rangeBefore({ from, to, beforeFrom, beforeTo }: SpendChangesArgs): Range {
  if (!beforeFrom !== !beforeTo) throw invalidRequest('"beforeFrom" and "beforeTo" belong together.');
  if (beforeFrom && beforeTo) return { from: beforeFrom, to: beforeTo };
  return { from: plusDays(from, -daysBetween(from, to) - 1), to: plusDays(from, -1) };
}

function auditOf({ by, per, from, to, where }: ReportQuestion, report: string): Record<string, unknown> {
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
