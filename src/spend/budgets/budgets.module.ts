import { Module } from '@nestjs/common';
import { AuditModule } from '../../audit/audit.module.js';
import { PeopleModule } from '../people/people.module.js';
import { ReportsModule } from '../reports/reports.module.js';
import { BudgetAlerts } from './alerts.service.js';
import { BudgetsResolver } from './budgets.resolver.js';
import { Budgets } from './budgets.service.js';
import { Spent } from './spent.service.js';

/** What may be spent in a month, and who hears when it is. */
@Module({
  imports: [AuditModule, PeopleModule, ReportsModule],
  providers: [Budgets, BudgetAlerts, Spent, BudgetsResolver],
})
export class BudgetsModule {}
