import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { plainIds } from '../people/shown-ids.js';
import type { By, Narrowed, ReportQuestion } from '../reports/question.js';
import { ReportReader } from '../reports/report-reader.service.js';
import type { SpendFigures, SpendReportDays } from '../reports/spend-report.entity.js';
import type { Day } from '../usage-row.js';
import type { BudgetScope, SpendBudget } from './budget.entity.js';
import { daysOfMonth } from './month.js';

type Spending = Pick<SpendBudget, 'id' | 'tenantId' | 'scope' | 'unitId' | 'personId' | 'counts'>;

const atOnce = 500;

/** What was spent of budgets in a month: the same sums that reports have. */
@Injectable()
export class Spent {
  constructor(private readonly reader: ReportReader) {}

  /** In cents, by budget; nothing is known of those that are missing. */
  async of(tx: EntityManager, budgets: readonly Spending[], month: Day): Promise<Map<string, string>> {
    const spent = new Map<string, string>();
    for (const scope of ['organization', 'group', 'cost_centre', 'person'] as const) {
      const inScope = budgets.filter((budget) => budget.scope === scope);
      for (let from = 0; from < inScope.length; from += atOnce) {
        const some = inScope.slice(from, from + atOnce);
        const figures = await this.figures(tx, scope, some, month);
        for (const budget of some) {
          const { chargedCents, usageBasedCents } = figures.get(targetOf(budget)) ?? {};
          const cents = budget.counts === 'all_usage' ? chargedCents : usageBasedCents;
          if (cents != null) spent.set(budget.id, cents);
        }
      }
    }
    return spent;
  }

  days(tx: EntityManager, tenantId: string, month: Day): Promise<SpendReportDays> {
    return this.reader.days(tx, question(tenantId, month, 'nothing', {}));
  }

  private async figures(
    tx: EntityManager,
    scope: BudgetScope,
    budgets: readonly Spending[],
    month: Day,
  ): Promise<Map<string, SpendFigures>> {
    const [{ tenantId }] = budgets;
    if (scope === 'organization')
      return new Map([['', await this.reader.total(tx, question(tenantId, month, 'nothing', {}))]]);
    const ids = [...new Set(budgets.map(targetOf))];
    const asked = question(tenantId, month, scope, narrowedTo[scope](ids));
    const { nodes } = await this.reader.page(tx, asked, { first: ids.length }, plainIds);
    return new Map(nodes.map((row) => [row.id ?? '', row]));
  }
}

const targetOf = ({ unitId, personId }: Spending): string => unitId ?? personId ?? '';

const narrowedTo = {
  group: (groupIds: string[]): Narrowed => ({ groupIds }),
  cost_centre: (costCentreIds: string[]): Narrowed => ({ costCentreIds }),
  person: (personIds: string[]): Narrowed => ({ personIds }),
};

const question = (tenantId: string, month: Day, by: By, where: Narrowed): ReportQuestion => ({
  ...{ tenantId, by, where, per: 'whole', orderBy: 'charged_cents', isOfModels: false },
  ...daysOfMonth(month),
});
