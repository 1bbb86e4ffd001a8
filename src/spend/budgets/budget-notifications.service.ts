import { Injectable, type OnModuleInit } from '@nestjs/common';
import { MembersService } from '../../access/members.service.js';
import { NotificationSourceRegistry } from '../../notifications/notification-source-registry.service.js';
import { SpendUnit } from '../../people/units/unit.entity.js';
import { quoteExternalText } from '../../platform/text/quote-external-text.js';
import { SpendBudget } from './budget.entity.js';

/** Explains reached budgets in notifications. Budgets of people are not named, because not everyone may see people. */
@Injectable()
export class BudgetNotificationsService implements OnModuleInit {
  constructor(
    private readonly sources: NotificationSourceRegistry,
    private readonly members: MembersService,
  ) {}

  onModuleInit(): void {
    this.sources.register(
      ['spend.budget_reached'],
      async (tx, tenantId, _eventKind, { budgetId, month, threshold }) => {
        const budget = await tx.findOneBy(SpendBudget, { tenantId, id: String(budgetId) });
        if (!budget) return null;
        const unit = budget.unitId ? await tx.findOneBy(SpendUnit, { tenantId, id: budget.unitId }) : null;
        const whose = unit ? quoteExternalText(unit.name) : budget.scope === 'person' ? 'a person' : 'the organization';
        return {
          kind: 'budget_reached',
          title: `Spend reached ${Number(threshold)}% of the budget of ${whose}`,
          facts: [{ label: 'Month', value: String(month).slice(0, 7) }],
          path: '/console/spend/budgets',
          recipients: (await this.members.listApprovers(tx, tenantId, null)).map(({ id }) => id),
        };
      },
    );
  }
}
