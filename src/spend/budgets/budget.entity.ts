import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export const budgetScopes = {
  organization: 'organization',
  group: 'group',
  cost_centre: 'cost_centre',
  person: 'person',
} as const;
export type BudgetScope = keyof typeof budgetScopes;
registerEnumType(budgetScopes, { name: 'SpendBudgetScope', description: 'Whose usage counts against a budget.' });

export const budgetCounts = { all_usage: 'all_usage', usage_based: 'usage_based' } as const;
export type BudgetCounts = keyof typeof budgetCounts;
registerEnumType(budgetCounts, {
  name: 'SpendBudgetCounts',
  valuesMap: {
    all_usage: { description: 'The value of all usage, including usage covered by the subscription.' },
    usage_based: { description: 'Only overage: usage charged in addition to the subscription.' },
  },
});

@ObjectType({
  description:
    'A monthly spending limit with alert thresholds. Usage continues when the budget is used up. Each threshold publishes the event "spend.budget_reached" once a month.',
})
@Entity('spend_budgets')
export class SpendBudget {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field(() => budgetScopes)
  @Column('text')
  scope: BudgetScope;

  @Field(() => ID, { nullable: true, description: 'Id of the group or cost centre.' })
  @Column('uuid', { nullable: true })
  unitId: string | null;

  @Column('uuid', { nullable: true })
  personId: string | null;

  @Field(() => budgetCounts)
  @Column('text')
  counts: BudgetCounts;

  @Field(() => String, { description: 'Amount per calendar month (UTC), in cents: a decimal number.' })
  @Column('numeric')
  amountCents: string;

  @Field(() => [Int], { description: 'Alert thresholds, in percent of the amount.' })
  @Column('int', { array: true })
  thresholds: number[];

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;
}

/** The settings that an administrator can change. */
export const budgetSettings = ({ amountCents, thresholds }: SpendBudget) => ({ amountCents, thresholds });
