import { Module } from '@nestjs/common';
import { AuditModule } from '../../audit/audit.module.js';
import { PeopleModule } from '../../people/people.module.js';
import { ReportsModule } from '../reports/reports.module.js';
import { BudgetAlertScheduler } from './budget-alert-scheduler.service.js';
import { BudgetNotificationsService } from './budget-notifications.service.js';
import { BudgetsResolver } from './budgets.resolver.js';
import { BudgetsService } from './budgets.service.js';
import { BudgetSpendingService } from './budget-spending.service.js';

/** Monthly budgets and their alerts. */
@Module({
  imports: [AuditModule, PeopleModule, ReportsModule],
  providers: [BudgetsService, BudgetAlertScheduler, BudgetNotificationsService, BudgetSpendingService, BudgetsResolver],
  exports: [BudgetsService],
})
export class BudgetsModule {}
