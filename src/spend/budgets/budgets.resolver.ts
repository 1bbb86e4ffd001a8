import { Args, ID, Mutation, ObjectType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { invalidRequest } from '../../platform/errors/general.error.js';
import { PageArgs, Paginated } from '../../platform/graphql/connection.js';
import { IdArgument } from '../../platform/graphql/id-argument.decorator.js';
import { contentVersionOf } from '../../platform/graphql/version.js';
import { Allow, AllowAdminToken, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { isDay } from '../reports/day-range.js';
import { budgetSettings, SpendBudget } from './budget.entity.js';
import { SpendBudgetStatus } from './budget-status.entity.js';
import { UpdateSpendBudgetInput, CreateSpendBudgetInput, SpendBudgetInput } from './budgets.input.js';
import { BudgetsService, type VisibleBudget } from './budgets.service.js';
import { budgetMonthOf } from './month.js';

@ObjectType()
export class SpendBudgetConnection extends Paginated(SpendBudget) {}

type LoadBudgetStatuses = (month: string | undefined) => Promise<Map<string, SpendBudgetStatus>>;
/** Budgets of one list are added up together. */
type ListedBudget = VisibleBudget & { standings?: LoadBudgetStatuses };

@Resolver(() => SpendBudget)
@Authenticate('session', 'admin-token')
@Allow('spend:manage')
export class BudgetsResolver {
  constructor(private readonly budgets: BudgetsService) {}

  @Query(() => SpendBudgetConnection, {
    description:
      'Budgets by name, the organization’s first. Those of people are there for administrators and for whoever sees these people.',
  })
  @Allow('spend:read')
  async spendBudgets(@CurrentPrincipal() principal: Principal, @Args() page: PageArgs) {
    const budgets = await this.budgets.list(principal, page);
    const statusesByMonth = new Map<string | undefined, ReturnType<LoadBudgetStatuses>>();
    const standings: LoadBudgetStatuses = (month) => {
      if (!statusesByMonth.has(month))
        statusesByMonth.set(month, this.budgets.statuses(principal, budgets.nodes, month));
      return statusesByMonth.get(month)!;
    };
    return { ...budgets, nodes: budgets.nodes.map((budget) => ({ ...budget, standings })) };
  }

  @Query(() => SpendBudget)
  @Allow('spend:read')
  spendBudget(@CurrentPrincipal() principal: Principal, @IdArgument() id: string) {
    return this.budgets.get(principal, id);
  }

  @ResolveField(() => String, {
    nullable: true,
    description:
      'Of the group, cost centre or person; a pseudonym, where the organization shows these. Null for the organization.',
  })
  @Allow('spend:read')
  name(@Parent() { name }: VisibleBudget): string | null {
    return name || null;
  }

  @ResolveField(() => ID, {
    nullable: true,
    description: 'Of a person. Where people go by pseudonyms, only for administrators, who chose whom it is for.',
  })
  @Allow('spend:read')
  personId(@Parent() { personId, isMasked }: VisibleBudget): string | null {
    return isMasked ? null : personId;
  }

  @ResolveField(() => String, { description: 'Another one after each change.' })
  @Allow('spend:read')
  version(@Parent() budget: VisibleBudget): string {
    return contentVersionOf(budgetSettings(budget));
  }

  @ResolveField(() => SpendBudgetStatus, { description: 'How it stands in a month.' })
  @Allow('spend:read')
  async standing(
    @CurrentPrincipal() principal: Principal,
    @Parent() budget: ListedBudget,
    @Args('month', { type: () => String, nullable: true, description: 'Any day of it; this month when omitted.' })
    day?: string | null,
  ): Promise<SpendBudgetStatus> {
    if (day && !isDay(day)) throw invalidRequest('"month" has to be a day, as 2026-11-20.');
    const month = day ? budgetMonthOf(day) : undefined;
    const standings = await (budget.standings?.(month) ?? this.budgets.statuses(principal, [budget], month));
    return standings.get(budget.id)!;
  }

  @AllowAdminToken()
  @Mutation(() => SpendBudget, {
    description:
      'One for all usage and one for what is charged on top, at most, for the organization and each group, cost centre and person.',
  })
  createSpendBudget(@CurrentPrincipal() principal: Principal, @Args('input') input: CreateSpendBudgetInput) {
    return this.budgets.create(principal, input);
  }

  @AllowAdminToken()
  @Mutation(() => SpendBudget, { description: 'Shares that were told this month are not told again this month.' })
  updateSpendBudget(@CurrentPrincipal() principal: Principal, @Args('input') input: UpdateSpendBudgetInput) {
    return this.budgets.update(principal, input);
  }

  @AllowAdminToken()
  @Mutation(() => SpendBudget)
  removeSpendBudget(@CurrentPrincipal() principal: Principal, @Args('input') { budgetId }: SpendBudgetInput) {
    return this.budgets.remove(principal, budgetId);
  }
}
