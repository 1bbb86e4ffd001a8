import { Args, ID, Mutation, ObjectType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { invalidRequest } from '../../platform/errors/general.error.js';
import { PageArgs, Paginated } from '../../platform/graphql/connection.js';
import { IdArgument } from '../../platform/graphql/id-argument.decorator.js';
import { contentVersionOf } from '../../platform/graphql/version.js';
import { isDay, monthOf } from '../../platform/time/day.js';
import { Allow, AllowAdminToken, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { budgetSettings, SpendBudget } from './budget.entity.js';
import { SpendBudgetStatus } from './budget-status.entity.js';
import { UpdateSpendBudgetInput, CreateSpendBudgetInput, SpendBudgetInput } from './budgets.input.js';
import { BudgetsService, type VisibleBudget } from './budgets.service.js';

@ObjectType()
export class SpendBudgetConnection extends Paginated(SpendBudget) {}

type LoadBudgetStatuses = (month: string | undefined) => Promise<Map<string, SpendBudgetStatus>>;
/** Budgets of one list share one computation of their statuses. */
type ListedBudget = VisibleBudget & { standings?: LoadBudgetStatuses };

@Resolver(() => SpendBudget)
@Authenticate('session', 'admin-token')
@Allow('spend:manage')
export class BudgetsResolver {
  constructor(private readonly budgets: BudgetsService) {}

  @Query(() => SpendBudgetConnection, {
    description:
      'Budgets by name, the organization’s first. Budgets of people are visible to administrators and to users with access to these people.',
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
      'Name of the group, cost centre or person, or a pseudonym if the organization uses pseudonyms. Null for the organization.',
  })
  @Allow('spend:read')
  name(@Parent() { name }: VisibleBudget): string | null {
    return name || null;
  }

  @ResolveField(() => ID, {
    nullable: true,
    description: 'Set for the scope "person". If the organization uses pseudonyms, only administrators see it.',
  })
  @Allow('spend:read')
  personId(@Parent() { personId, isMasked }: VisibleBudget): string | null {
    return isMasked ? null : personId;
  }

  @ResolveField(() => String, { description: 'Changes with each update.' })
  @Allow('spend:read')
  version(@Parent() budget: VisibleBudget): string {
    return contentVersionOf(budgetSettings(budget));
  }

  @ResolveField(() => SpendBudgetStatus, { description: 'Status in a month.' })
  @Allow('spend:read')
  async standing(
    @CurrentPrincipal() principal: Principal,
    @Parent() budget: ListedBudget,
    @Args('month', {
      type: () => String,
      nullable: true,
      description: 'Any day of the month. Defaults to the current month.',
    })
    day?: string | null,
  ): Promise<SpendBudgetStatus> {
    if (day && !isDay(day)) throw invalidRequest('"month" must be a day, such as 2026-11-20.');
    const month = day ? monthOf(day) : undefined;
    const standings = await (budget.standings?.(month) ?? this.budgets.statuses(principal, [budget], month));
    return standings.get(budget.id)!;
  }

  @AllowAdminToken()
  @Mutation(() => SpendBudget, {
    description:
      'Creates a budget. The organization and each group, cost centre and person can have one budget for all usage and one for overage.',
  })
  createSpendBudget(@CurrentPrincipal() principal: Principal, @Args('input') input: CreateSpendBudgetInput) {
    return this.budgets.create(principal, input);
  }

  @AllowAdminToken()
  @Mutation(() => SpendBudget, {
    description: 'Updates a budget. Thresholds already published this month are not published again.',
  })
  updateSpendBudget(@CurrentPrincipal() principal: Principal, @Args('input') input: UpdateSpendBudgetInput) {
    return this.budgets.update(principal, input);
  }

  @AllowAdminToken()
  @Mutation(() => SpendBudget)
  removeSpendBudget(@CurrentPrincipal() principal: Principal, @Args('input') { budgetId }: SpendBudgetInput) {
    return this.budgets.remove(principal, budgetId);
  }
}
