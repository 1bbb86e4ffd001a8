import { Injectable } from '@nestjs/common';
import type { Tx } from '../../platform/database/tx.js';
import type { Day } from '../../platform/time/day.js';
import type { ReportGrouping, ReportFilter, ReportQuery } from '../reports/report-selection.js';
import { ReportQueryService } from '../reports/report-query.service.js';
import type { SpendFigures, SpendReportDays } from '../reports/spend-report.entity.js';
import type { BudgetScope, SpendBudget } from './budget.entity.js';
import { daysOfMonth } from './month.js';

type BudgetTarget = Pick<SpendBudget, 'id' | 'tenantId' | 'scope' | 'unitId' | 'personId' | 'counts'>;

const budgetsPerQuery = 500;

/** Spending of budgets in a month, from the same sums as reports. */
@Injectable()
export class BudgetSpendingService {
  constructor(private readonly queries: ReportQueryService) {}

  /** Cents by budget id. Budgets without data are missing. */
  async byBudget(tx: Tx, budgets: readonly BudgetTarget[], month: Day): Promise<Map<string, string>> {
    const spent = new Map<string, string>();
    for (const scope of ['organization', 'group', 'cost_centre', 'person'] as const) {
      const inScope = budgets.filter((budget) => budget.scope === scope);
      for (let from = 0; from < inScope.length; from += budgetsPerQuery) {
        const batch = inScope.slice(from, from + budgetsPerQuery);
        const figures = await this.figures(tx, scope, batch, month);
        for (const budget of batch) {
          const { chargedCents, usageBasedCents } = figures.get(targetOf(budget)) ?? {};
          const cents = budget.counts === 'all_usage' ? chargedCents : usageBasedCents;
          if (cents != null) spent.set(budget.id, cents);
        }
      }
    }
    return spent;
  }

  days(tx: Tx, tenantId: string, month: Day): Promise<SpendReportDays> {
    return this.queries.days(tx, monthQuery(tenantId, month, 'nothing', {}));
  }

  private async figures(
    tx: Tx,
    scope: BudgetScope,
    budgets: readonly BudgetTarget[],
    month: Day,
  ): Promise<Map<string, SpendFigures>> {
    const [{ tenantId }] = budgets;
    if (scope === 'organization')
      return new Map([['', await this.queries.total(tx, monthQuery(tenantId, month, 'nothing', {}))]]);
    const ids = [...new Set(budgets.map(targetOf))];
    const query = monthQuery(tenantId, month, scope, scopeFilters[scope](ids));
    const { nodes } = await this.queries.page(tx, query, { first: ids.length });
    return new Map(nodes.map((row) => [row.id ?? '', row]));
  }
}

const targetOf = ({ unitId, personId }: BudgetTarget): string => unitId ?? personId ?? '';

const scopeFilters = {
  group: (groupIds: string[]): ReportFilter => ({ groupIds }),
  cost_centre: (costCentreIds: string[]): ReportFilter => ({ costCentreIds }),
  person: (personIds: string[]): ReportFilter => ({ personIds }),
};

const monthQuery = (tenantId: string, month: Day, by: ReportGrouping, where: ReportFilter): ReportQuery => ({
  ...{ tenantId, by, where, per: 'whole', orderBy: 'charged_cents', isOfModels: false, pseudonyms: false },
  ...daysOfMonth(month),
});
