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
    all_usage: { description: 'Whatever usage is worth, also what the subscription includes.' },
    usage_based: { description: 'Only what is charged on top of the subscription.' },
  },
});

@ObjectType({
  description:
    'What may be spent in a month, and at which shares of it somebody wants to know. Nothing is stopped when it is used up. Each share is told once a month, as the event "spend.budget_reached".',
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

  @Field(() => ID, { nullable: true, description: 'Of a group or cost centre.' })
  @Column('uuid', { nullable: true })
  unitId: string | null;

  @Column('uuid', { nullable: true })
  personId: string | null;

  @Field(() => budgetCounts)
  @Column('text')
  counts: BudgetCounts;

  @Field(() => String, { description: 'What may be spent in a calendar month (UTC), in cents: a decimal number.' })
  @Column('numeric')
  amountCents: string;

  @Field(() => [Int], { description: 'Shares of it that are told when they are reached, in percent.' })
  @Column('int', { array: true })
  thresholds: number[];

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;
}

/** What an administrator enters and sees again. */
export const budgetSettings = ({ amountCents, thresholds }: SpendBudget) => ({ amountCents, thresholds });
