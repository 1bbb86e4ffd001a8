import { Field, Float, ID, Int, ObjectType } from '@nestjs/graphql';
import { PageInfo } from '../../platform/graphql/connection.js';
import type { Day, DayRange } from '../../platform/time/day.js';
import { SpendMetrics } from './spend-metrics.entity.js';

@ObjectType({
  description:
    'Sums over people and days. Money is in cents, as an exact decimal number in text. By model, vendors count only tokens, events and money.',
})
export class SpendFigures {
  @Field(() => SpendMetrics)
  metrics: SpendMetrics;

  @Field(() => String, {
    nullable: true,
    description: 'Total value of usage: included and usage-based.',
  })
  chargedCents: string | null;

  @Field(() => String, { nullable: true, description: 'The part covered by the subscription.' })
  includedCents: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'The overage: the part charged in addition to the subscription.',
  })
  usageBasedCents: string | null;

  @Field(() => String, { nullable: true, description: 'Cost without discounts. Only by model.' })
  listCents: string | null;

  @Field(() => String, { nullable: true, description: 'Billable request units, possibly fractional.' })
  requestUnits: string | null;

  @Field(() => Float, { nullable: true, description: 'Number of billed events. Only by model.' })
  events: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Accepted completions divided by shown ones. Can exceed 1 because of how vendors count.',
  })
  tabAcceptanceRate: number | null;

  @Field(() => Float, { nullable: true, description: 'Accepted changes divided by accepted and rejected ones.' })
  applyAcceptanceRate: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'Charged cents per accepted line added, to four decimal places.',
  })
  centsPerAcceptedLine: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Distinct people with activity. An unmatched identity counts as one person. Null by model.',
  })
  activePeople?: number | null;
}

@ObjectType({
  description: 'One row of a report: one period, and one person, group or other key if the report is grouped.',
})
export class SpendReportRow extends SpendFigures {
  @Field(() => String, { description: 'The first day.' })
  from: Day;

  @Field(() => String, { description: 'The last day.' })
  to: Day;

  @Field(() => ID, {
    nullable: true,
    description:
      'Id of the person, group, cost centre or connection, or the name of the model. Null for people without a unit.',
  })
  id: string | null;

  @Field(() => ID, { nullable: true, description: 'Vendor identity, if it is not matched to a person.' })
  identityId: string | null;

  @Field(() => String, {
    nullable: true,
    description: 'For people a pseudonym, if the organization uses pseudonyms.',
  })
  name: string | null;

  /** Position of the row in its report. */
  period: number;
  key: string;
}

@ObjectType({ description: 'A range of days, both ends included.' })
export class SpendDays implements DayRange {
  @Field(() => String)
  from: Day;

  @Field(() => String)
  to: Day;
}

@ObjectType({ description: 'Data quality of a report: the state of its days.' })
export class SpendReportDays {
  @Field(() => String, {
    nullable: true,
    description: 'The first day with data, over all time. Null: no data yet.',
  })
  dataSince: Day | null;

  @Field(() => [SpendDays], { description: 'Incomplete, or the vendor may still correct them.' })
  provisional: SpendDays[];

  @Field(() => [SpendDays], { description: 'Not synced yet.' })
  pending: SpendDays[];

  @Field(() => [SpendDays], { description: 'Never synced completely, and the vendor no longer serves them.' })
  lost: SpendDays[];
}

@ObjectType({ description: 'Cost and usage of AI assistants.' })
export class SpendReport {
  @Field(() => String, { description: 'The first day.' })
  from: Day;

  @Field(() => String, { description: 'The last day.' })
  to: Day;

  @Field(() => [SpendReportRow], { description: 'Newest period first, highest figure first within a period.' })
  nodes: SpendReportRow[];

  @Field(() => PageInfo)
  pageInfo: PageInfo;
}
