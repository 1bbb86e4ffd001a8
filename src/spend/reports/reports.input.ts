import { ArgsType, Field, ID, InputType, Int, registerEnumType } from '@nestjs/graphql';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsEnum,
  IsInt,
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
import type { Day } from '../usage-row.js';
import { isDay, type ReportPeriod } from './day-range.js';
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
  description: 'Of whom or what a report has rows.',
  valuesMap: {
    nothing: { description: 'One row a period, of everybody.' },
    person: { description: 'For analysts; whom nobody was matched to has rows of their own.' },
    group: { description: 'By the groups that people are in now; who is in none has a row, too.' },
  },
});

export const reportPeriods = { whole: 'whole', month: 'month', week: 'week', day: 'day' } as const satisfies Record<
  ReportPeriod,
  ReportPeriod
>;
registerEnumType(reportPeriods, {
  name: 'SpendReportPer',
  description: 'The periods of a report, in UTC.',
  valuesMap: { whole: { description: 'The whole range at once.' }, week: { description: 'From Monday to Sunday.' } },
});

const reportSums = Object.fromEntries(reportSumColumns.map((name) => [name, name])) as { [S in ReportSum]: S };
registerEnumType(reportSums, { name: 'SpendSum', description: 'What is summed up.' });

export const IsDay = () =>
  ValidateBy({
    name: 'isDay',
    validator: {
      validate: (value) => typeof value === 'string' && isDay(value),
      defaultMessage: () => '$property has to be a day, as 2026-11-20',
    },
  });

@InputType({ description: 'What a report lets through. What is left out is not asked for.' })
export class SpendReportFilter {
  @Field(() => [ID], { nullable: true })
  @IsOptional()
  @ArrayMaxSize(100)
  @IsUUID(undefined, { each: true })
  connectionIds?: string[] | null;

  @Field(() => [ID], { nullable: true, description: 'People who are in one of these groups now.' })
  @IsOptional()
  @ArrayMaxSize(500)
  @IsUUID(undefined, { each: true })
  groupIds?: string[] | null;

  @Field(() => [ID], { nullable: true, description: 'People who belong to one of these cost centres now.' })
  @IsOptional()
  @ArrayMaxSize(500)
  @IsUUID(undefined, { each: true })
  costCentreIds?: string[] | null;

  @Field(() => [ID], { nullable: true, description: 'For analysts.' })
  @IsOptional()
  @ArrayMaxSize(500)
  @IsUUID(undefined, { each: true })
  personIds?: string[] | null;

  @Field(() => [Int], { nullable: true, description: 'For analysts: whom nobody was matched to.' })
  @IsOptional()
  @ArrayMaxSize(500)
  @IsInt({ each: true })
  identityIds?: number[] | null;

  @Field(() => [String], { nullable: true, description: 'Names of models: tokens, events and money of these only.' })
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
    description: 'The greatest first, within each period.',
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
    description: 'Of what it is compared with; as many days right before, if absent.',
  })
  @IsOptional()
  @IsDay()
  beforeFrom?: Day | null;

  @Field(() => String, { nullable: true, description: 'Goes with "beforeFrom".' })
  @IsOptional()
  @IsDay()
  beforeTo?: Day | null;

  @Field(() => reportGroupings)
  @IsEnum(reportGroupings)
  by: ReportGrouping;

  @Field(() => reportSums, { defaultValue: reportSums.charged_cents, description: 'What is compared.' })
  @IsEnum(reportSums)
  orderBy: ReportSum;

  @Field(() => SpendReportFilter, { nullable: true })
  @IsOptional()
  @ValidateNested()
  @Type(() => SpendReportFilter)
  where?: SpendReportFilter | null;

  @Field(() => Int, { defaultValue: 20, description: 'How many, at most 200.' })
  @Min(1)
  @Max(200)
  first: number;
}
