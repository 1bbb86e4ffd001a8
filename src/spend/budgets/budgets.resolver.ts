import { Args, ID, Mutation, ObjectType, Parent, Query, ResolveField, Resolver } from '@nestjs/graphql';
import { invalidRequest } from '../../platform/errors/general.error.js';
import { PageArgs, Paginated } from '../../platform/graphql/connection.js';
import { IdArgument } from '../../platform/graphql/id-argument.decorator.js';
import { versionOf } from '../../platform/graphql/version.js';
import { Allow, AllowAdminToken, Authenticate } from '../../principal/allow.decorator.js';
import { CurrentPrincipal } from '../../principal/current-principal.decorator.js';
import type { Principal } from '../../principal/principal.js';
import { isDay } from '../reports/calendar.js';
import { settingsOf, SpendBudget } from './budget.entity.js';
import { SpendBudgetStanding } from './budget-standing.entity.js';
import { ChangeSpendBudgetInput, CreateSpendBudgetInput, SpendBudgetInput } from './budgets.input.js';
import { Budgets, type SeenBudget } from './budgets.service.js';
import { monthOf } from './month.js';

@ObjectType()
export class SpendBudgetConnection extends Paginated(SpendBudget) {}

type Standings = (month: string | undefined) => Promise<Map<string, SpendBudgetStanding>>;
/** Budgets of one list are added up together. */
type Listed = SeenBudget & { standings?: Standings };

@Resolver(() => SpendBudget)
@Authenticate('session', 'admin-token')
@Allow('spend:manage')
export class BudgetsResolver {
  constructor(private readonly budgets: Budgets) {}

  @Query(() => SpendBudgetConnection, {
    description:
      'Budgets by name, the organization’s first. Those of people are there for administrators and for whoever sees these people.',
  })
  @Allow('spend:read')
  async spendBudgets(@CurrentPrincipal() principal: Principal, @Args() page: PageArgs) {
    const found = await this.budgets.list(principal, page);
    const known = new Map<string | undefined, ReturnType<Standings>>();
    const standings: Standings = (month) => {
      if (!known.has(month)) known.set(month, this.budgets.standings(principal, found.nodes, month));
      return known.get(month)!;
    };
    return { ...found, nodes: found.nodes.map((budget) => ({ ...budget, standings })) };
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
  name(@Parent() { name }: SeenBudget): string | null {
    return name || null;
  }

  @ResolveField(() => ID, {
    nullable: true,
    description: 'Of a person. Where people go by pseudonyms, only for administrators, who chose whom it is for.',
  })
  @Allow('spend:read')
  personId(@Parent() { personId, isMasked }: SeenBudget): string | null {
    return isMasked ? null : personId;
  }

  @ResolveField(() => String, { description: 'Another one after each change.' })
  @Allow('spend:read')
  version(@Parent() budget: SeenBudget): string {
    return versionOf(settingsOf(budget));
  }

  @ResolveField(() => SpendBudgetStanding, { description: 'How it stands in a month.' })
  @Allow('spend:read')
  async standing(
    @CurrentPrincipal() principal: Principal,
    @Parent() budget: Listed,
    @Args('month', { type: () => String, nullable: true, description: 'Any day of it; this month when omitted.' })
    day?: string | null,
  ): Promise<SpendBudgetStanding> {
    if (day && !isDay(day)) throw invalidRequest('"month" has to be a day, as 2026-11-20.');
    const month = day ? monthOf(day) : undefined;
    const standings = await (budget.standings?.(month) ?? this.budgets.standings(principal, [budget], month));
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
  changeSpendBudget(@CurrentPrincipal() principal: Principal, @Args('input') input: ChangeSpendBudgetInput) {
    return this.budgets.change(principal, input);
  }

  @AllowAdminToken()
  @Mutation(() => SpendBudget)
  removeSpendBudget(@CurrentPrincipal() principal: Principal, @Args('input') { budgetId }: SpendBudgetInput) {
    return this.budgets.remove(principal, budgetId);
  }
}
