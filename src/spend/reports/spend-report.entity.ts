import { Field, Float, ID, Int, ObjectType } from '@nestjs/graphql';
import { PageInfo } from '../../platform/graphql/connection.js';
import type { Day } from '../usage-row.js';
import type { DayRange } from './day-range.js';
import { SpendMetrics } from './spend-metrics.entity.js';

@ObjectType({
  description:
    'Sums over people and days. Money is in cents, an exact decimal number as text. Per model the vendor counts tokens, events and money only.',
})
export class SpendFigures {
  @Field(() => SpendMetrics)
  metrics: SpendMetrics;

  @Field(() => String, {
    nullable: true,
    description: 'What usage cost, whoever paid for it: included and usage-based.',
  })
  chargedCents: string | null;

  @Field(() => String, { nullable: true, description: 'The part of it that the subscription covers.' })
  includedCents: string | null;

  @Field(() => String, { nullable: true, description: 'The part of it that is charged on top.' })
  usageBasedCents: string | null;

  @Field(() => String, { nullable: true, description: 'What it would have cost without discounts; by model only.' })
  listCents: string | null;

  @Field(() => String, { nullable: true, description: 'Billable units of requests, which may be fractions.' })
  requestUnits: string | null;

  @Field(() => Float, { nullable: true, description: 'How many events the vendor billed; by model only.' })
  events: number | null;

  @Field(() => Float, {
    nullable: true,
    description: 'Accepted completions of those shown. Above 1 where the vendor counts so.',
  })
  tabAcceptanceRate: number | null;

  @Field(() => Float, { nullable: true, description: 'Kept changes of those kept or thrown away.' })
  applyAcceptanceRate: number | null;

  @Field(() => String, { nullable: true, description: 'Charged cents for each accepted line added, to four places.' })
  centsPerAcceptedLine: string | null;

  @Field(() => Int, {
    nullable: true,
    description: 'Different people with anything counted. Whom nobody was matched to counts as one. Null by model.',
  })
  activePeople?: number | null;
}

@ObjectType({
  description: 'One row of a report: of one period, and of one person, group, … where it is told by those.',
})
export class SpendReportRow extends SpendFigures {
  @Field(() => String, { description: 'The first day.' })
  from: Day;

  @Field(() => String, { description: 'The last day.' })
  to: Day;

  @Field(() => ID, {
    nullable: true,
    description: 'Of the person, group, cost centre or connection; the name of the model. Null for who is in no group.',
  })
  id: string | null;

  @Field(() => Int, { nullable: true, description: 'Whom the vendor named, where nobody was matched to it.' })
  identityId: number | null;

  @Field(() => String, {
    nullable: true,
    description: 'For people a pseudonym, where the organization shows these.',
  })
  name: string | null;

  /** Where the row stands in its report. */
  period: number;
  key: string;
}

@ObjectType({ description: 'Days one after another, both ends included.' })
export class SpendDays implements DayRange {
  @Field(() => String)
  from: Day;

  @Field(() => String)
  to: Day;
}

@ObjectType({ description: 'How far a report can be relied on: what is known of its days.' })
export class SpendReportDays {
  @Field(() => String, {
    nullable: true,
    description: 'The first day that anything is known of, over all time. Null: nothing yet.',
  })
  dataSince: Day | null;

  @Field(() => [SpendDays], { description: 'Being filled, or still corrected by the vendor.' })
  provisional: SpendDays[];

  @Field(() => [SpendDays], { description: 'Not read yet.' })
  pending: SpendDays[];

  @Field(() => [SpendDays], { description: 'The vendor no longer tells them, and they were never read completely.' })
  lost: SpendDays[];
}

@ObjectType({ description: 'What AI assistants cost and bring.' })
export class SpendReport {
  @Field(() => String, { description: 'The first day.' })
  from: Day;

  @Field(() => String, { description: 'The last day.' })
  to: Day;

  @Field(() => [SpendReportRow], { description: 'Newest period first; in each the greatest first.' })
  nodes: SpendReportRow[];

  @Field(() => PageInfo)
  pageInfo: PageInfo;
}
