import { ArgsType, Field, ID, InputType, Int, registerEnumType } from '@nestjs/graphql';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsEnum,
  IsOptional,
  IsString,
  IsUUID,
  Max,
  MaxLength,
  Min,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { PageArgs } from '../../platform/graphql/connection.js';
import { type Day, isDay } from '../../platform/time/day.js';
import { type ReportPeriod } from './day-range.js';
import type { ReportGrouping } from './report-selection.js';
import { type ReportSum, reportSumColumns } from './sums.js';

export const reportGroupings = {
  nothing: 'nothing',
  person: 'person',
  group: 'group',
  cost_centre: 'cost_centre',
  model: 'model',
  connection: 'connection',
} as const satisfies Record<ReportGrouping, ReportGrouping>;
registerEnumType(reportGroupings, {
  name: 'SpendReportBy',
  description: 'What the rows of a report are grouped by.',
  valuesMap: {
    nothing: { description: 'One row per period for everybody.' },
    person: { description: 'For analysts. Unmatched identities have their own rows.' },
    group: { description: 'By the current groups of people. People without a group share one row.' },
  },
});

export const reportPeriods = { whole: 'whole', month: 'month', week: 'week', day: 'day' } as const satisfies Record<
  ReportPeriod,
  ReportPeriod
>;
registerEnumType(reportPeriods, {
  name: 'SpendReportPer',
  description: 'The periods of a report, in UTC.',
  valuesMap: { whole: { description: 'The whole range.' }, week: { description: 'From Monday to Sunday.' } },
});

const reportSums = Object.fromEntries(reportSumColumns.map((name) => [name, name])) as { [S in ReportSum]: S };
registerEnumType(reportSums, { name: 'SpendSum', description: 'A summed figure.' });

export const IsDay = () =>
  ValidateBy({
    name: 'isDay',
    validator: {
      validate: (value) => typeof value === 'string' && isDay(value),
      defaultMessage: () => '$property must be a day, such as 2026-11-20',
    },
  });

@InputType({ description: 'Filter of a report. Omitted fields do not filter.' })
export class SpendReportFilter {
  @Field(() => [ID], { nullable: true })
  @IsOptional()
  @ArrayMaxSize(100)
  @IsUUID(undefined, { each: true })
  connectionIds?: string[] | null;

  @Field(() => [ID], { nullable: true, description: 'Only people who are currently in one of these groups.' })
  @IsOptional()
  @ArrayMaxSize(500)
  @IsUUID(undefined, { each: true })
  groupIds?: string[] | null;

  @Field(() => [ID], { nullable: true, description: 'Only people who currently belong to one of these cost centres.' })
  @IsOptional()
  @ArrayMaxSize(500)
  @IsUUID(undefined, { each: true })
  costCentreIds?: string[] | null;

  @Field(() => [ID], { nullable: true, description: 'For analysts.' })
  @IsOptional()
  @ArrayMaxSize(500)
  @IsUUID(undefined, { each: true })
  personIds?: string[] | null;

  @Field(() => [ID], { nullable: true, description: 'Unmatched identities. For analysts.' })
  @IsOptional()
  @ArrayMaxSize(500)
  @IsString({ each: true })
  @MaxLength(36, { each: true })
  identityIds?: string[] | null;

  @Field(() => [String], {
    nullable: true,
    description: 'Names of models. Returns only their tokens, events and money.',
  })
  @IsOptional()
  @ArrayMaxSize(100)
  @IsString({ each: true })
  @MaxLength(500, { each: true })
  models?: string[] | null;
}

@ArgsType()
export class SpendReportArgs extends PageArgs {
  @Field(() => String, { description: 'The first day, in UTC: 2026-11-01.' })
  @IsDay()
  from: Day;

  @Field(() => String, { description: 'The last day; at most ten years of them.' })
  @IsDay()
  to: Day;

  @Field(() => reportGroupings, { defaultValue: reportGroupings.nothing })
  @IsEnum(reportGroupings)
  by: ReportGrouping;

  @Field(() => reportPeriods, { defaultValue: reportPeriods.whole })
  @IsEnum(reportPeriods)
  per: ReportPeriod;

  @Field(() => reportSums, {
    defaultValue: reportSums.charged_cents,
    description: 'Sorts descending by this figure within each period.',
  })
  @IsEnum(reportSums)
  orderBy: ReportSum;

  @Field(() => SpendReportFilter, { nullable: true })
  @IsOptional()
  @ValidateNested()
  @Type(() => SpendReportFilter)
  where?: SpendReportFilter | null;
}

@ArgsType()
export class SpendChangesArgs {
  @Field(() => String, { description: 'The first day, in UTC: 2026-11-01.' })
  @IsDay()
  from: Day;

  @Field(() => String, { description: 'The last day; at most ten years of them.' })
  @IsDay()
  to: Day;

  @Field(() => String, {
    nullable: true,
    description:
      'First day of the range to compare with. Defaults to the same number of days immediately before "from".',
  })
  @IsOptional()
  @IsDay()
  beforeFrom?: Day | null;

  @Field(() => String, { nullable: true, description: 'Required with "beforeFrom".' })
  @IsOptional()
  @IsDay()
  beforeTo?: Day | null;

  @Field(() => reportGroupings)
  @IsEnum(reportGroupings)
  by: ReportGrouping;

  @Field(() => reportSums, { defaultValue: reportSums.charged_cents, description: 'The figure to compare.' })
  @IsEnum(reportSums)
  orderBy: ReportSum;

  @Field(() => SpendReportFilter, { nullable: true })
  @IsOptional()
  @ValidateNested()
  @Type(() => SpendReportFilter)
  where?: SpendReportFilter | null;

  @Field(() => Int, { defaultValue: 20, description: 'Number of changes, at most 200.' })
  @Min(1)
  @Max(200)
  first: number;
}
