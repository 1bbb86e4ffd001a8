import { Injectable, type OnModuleInit } from '@nestjs/common';
import { AuditService } from '../../audit/audit.service.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import type { Tx } from '../../platform/database/tx.js';
import { OutboxService } from '../../platform/events/outbox.service.js';
import { QueueService } from '../../platform/queue/queue.service.js';
import { type Day, monthOf, today } from '../../platform/time/day.js';
import { systemPrincipal } from '../../principal/principal.js';
import { budgetsOfMonth, recordReachedThresholds } from './budgets.sql.js';
import { tenantsWithBudgets } from './budgets.system.sql.js';
import { monthBefore } from './month.js';
import { BudgetSpendingService } from './budget-spending.service.js';

/** Frequent enough, because usage is synced hourly. */
const everySeconds = 300;

/** Publishes each reached budget threshold once a month, even with several processes. */
@Injectable()
export class BudgetAlertScheduler implements OnModuleInit {
  constructor(
    private readonly database: DatabaseService,
    private readonly queue: QueueService,
    private readonly outbox: OutboxService,
    private readonly audit: AuditService,
    private readonly budgetSpending: BudgetSpendingService,
  ) {}

  onModuleInit(): void {
    this.queue.handle('spend.budgets', ({ tenantId }) => this.check({ tenantId: String(tenantId) }));
    this.queue.every('spend.budgets', everySeconds, () => this.enqueueAll());
  }

  /** Checks last month too, because vendors bill late and correct past data. */
  async check(tenant: { tenantId: string }): Promise<void> {
    const month = monthOf(today());
    for (const each of [monthBefore(month), month])
      await this.database.tenant(tenant, (tx) => this.checkMonth(tx, tenant, each));
  }

  private async enqueueAll(): Promise<void> {
    const tenants = await this.database.system('spend: tenants with budgets', (tx) => tx.run(tenantsWithBudgets));
    for (const { tenantId } of tenants)
      await this.database.tenant({ tenantId }, (tx) =>
        this.queue.add(tx, 'spend.budgets', { tenantId }, { key: `spend.budgets:${tenantId}` }),
      );
  }

  private async checkMonth(tx: Tx, { tenantId }: { tenantId: string }, month: Day): Promise<void> {
    const budgets = await tx.run(budgetsOfMonth, [tenantId, month]);
    const spent = await this.budgetSpending.byBudget(tx, budgets, month);
    if (!spent.size) return;
    const reached = await tx.run(recordReachedThresholds, [tenantId, month, [...spent.keys()], [...spent.values()]]);
    const principal = systemPrincipal(tenantId, 'budgets');
    for (const { budgetId, threshold } of reached) {
      await this.outbox.write(tx, tenantId, 'spend.budget_reached', { budgetId, month, threshold });
      const subject = { type: 'spend_budget', id: budgetId };
      await this.audit.record(tx, principal, { kind: 'spend_budget.reached', subject, detail: { month, threshold } });
    }
  }
}
