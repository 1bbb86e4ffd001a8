import { Field, Float, GraphQLISODateTime, Int, ObjectType } from '@nestjs/graphql';
import type { Day } from '../../platform/time/day.js';
import { SpendReportDays } from '../reports/spend-report.entity.js';

@ObjectType({ description: 'A reached threshold of a budget.' })
export class SpendBudgetAlert {
  @Field(() => Int, { description: 'In percent.' })
  threshold: number;

  @Field(() => GraphQLISODateTime, { description: 'When the threshold was detected.' })
  reachedAt: Date;

  @Field(() => String, {
    nullable: true,
    description: 'Spending at that time. Null if you have no access to this person’s usage.',
  })
  spentCents: string | null;

  @Field(() => String, { description: 'Budget amount at that time.' })
  amountCents: string;
}

@ObjectType({
  description:
    'Status of a budget in one month. Figures of a person are null if you have no access to this person’s usage.',
})
export class SpendBudgetStatus {
  @Field(() => String, { description: 'First day of the month: 2026-11-01.' })
  month: Day;

  @Field(() => String, { nullable: true, description: 'Null if the month has no data.' })
  spentCents: string | null;

  @Field(() => String, { nullable: true, description: 'Negative if spending exceeds the budget.' })
  remainingCents: string | null;

  @Field(() => Float, { nullable: true, description: 'Percent of the budget, with one decimal place.' })
  percent: number | null;

  @Field(() => String, {
    nullable: true,
    description:
      'Projected spending at the end of the month, based on the average day so far (today counts as a full day), in whole cents.',
  })
  forecastCents: string | null;

  @Field(() => [SpendBudgetAlert], { description: 'Lowest threshold first.' })
  alerts: SpendBudgetAlert[];

  @Field(() => SpendReportDays, { description: 'Data quality of the month.' })
  days: SpendReportDays;
}
