import { Field, Float, GraphQLISODateTime, Int, ObjectType } from '@nestjs/graphql';
import { SpendReportDays } from '../reports/spend-report.entity.js';
import type { Day } from '../usage-row.js';

@ObjectType({ description: 'A share of a budget that was reached.' })
export class SpendBudgetAlert {
  @Field(() => Int, { description: 'In percent.' })
  threshold: number;

  @Field(() => GraphQLISODateTime, { description: 'When it was noticed.' })
  reachedAt: Date;

  @Field(() => String, {
    nullable: true,
    description: 'What was spent by then. Null if that person’s figures are not for you.',
  })
  spentCents: string | null;

  @Field(() => String, { description: 'What the budget was then.' })
  amountCents: string;
}

@ObjectType({
  description:
    'How a budget stands in one month. What belongs to a person is null if that person’s figures are not for you.',
})
export class SpendBudgetStatus {
  @Field(() => String, { description: 'Its first day: 2026-11-01.' })
  month: Day;

  @Field(() => String, { nullable: true, description: 'Null where nothing is known of the month.' })
  spentCents: string | null;

  @Field(() => String, { nullable: true, description: 'Below zero once more was spent than the budget.' })
  remainingCents: string | null;

  @Field(() => Float, { nullable: true, description: 'Of the budget, to a tenth.' })
  percent: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      'What the month would end with if every day went on as those so far, today counted as a whole one; in whole cents.',
  })
  forecastCents: string | null;

  @Field(() => [SpendBudgetAlert], { description: 'The lowest share first.' })
  alerts: SpendBudgetAlert[];

  @Field(() => SpendReportDays, { description: 'How far this can be relied on.' })
  days: SpendReportDays;
}
