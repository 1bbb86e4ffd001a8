import { ArgsType, Field, ID, InputType, Int } from '@nestjs/graphql';
import { IsInt, IsUUID, Max, Min } from 'class-validator';
import { PageArgs } from '../../../platform/graphql/connection.js';
import type { Day } from '../../../platform/time/day.js';
import { IsDay } from '../../reports/reports.input.js';

@ArgsType()
export class SpendDaysArgs {
  @Field(() => ID)
  @IsUUID()
  connectionId: string;

  @Field(() => String, { description: 'The first day: "2026-11-01".' })
  @IsDay()
  from: Day;

  @Field(() => String, { description: 'The last day. At most 400 days.' })
  @IsDay()
  to: Day;
}

@ArgsType()
export class SpendRunsArgs extends PageArgs {
  @Field(() => ID)
  @IsUUID()
  connectionId: string;
}

@InputType()
export class SyncSpendInput {
  @Field(() => ID)
  @IsUUID()
  connectionId: string;

  @Field(() => Int, { defaultValue: 2, description: 'How many days back, today included.' })
  @IsInt()
  @Min(1)
  @Max(366)
  days: number;
}
