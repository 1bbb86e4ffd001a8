import { ArgsType, Field, ID, Int } from '@nestjs/graphql';
import { ArrayMaxSize, IsBoolean, IsOptional, IsUUID, Max, Min } from 'class-validator';
import { PageArgs } from '../../platform/graphql/connection.js';

const idleDays = 'A seat is idle if it was not used in this many days up to today.';

@ArgsType()
export class SpendSeatsArgs {
  @Field(() => Int, { defaultValue: 30, description: idleDays })
  @Min(1)
  @Max(3660)
  idleDays: number;

  @Field(() => [ID], { nullable: true })
  @IsOptional()
  @ArrayMaxSize(100)
  @IsUUID(undefined, { each: true })
  connectionIds?: string[] | null;

  @Field(() => [ID], { nullable: true })
  @IsOptional()
  @ArrayMaxSize(500)
  @IsUUID(undefined, { each: true })
  groupIds?: string[] | null;
}

@ArgsType()
export class SpendIdleSeatsArgs extends PageArgs {
  @Field(() => Int, { defaultValue: 30, description: idleDays })
  @Min(1)
  @Max(3660)
  idleDays: number;

  @Field({ defaultValue: false, description: 'Only seats that were never used.' })
  @IsBoolean()
  neverUsed: boolean;

  @Field(() => [ID], { nullable: true })
  @IsOptional()
  @ArrayMaxSize(100)
  @IsUUID(undefined, { each: true })
  connectionIds?: string[] | null;

  @Field(() => [ID], { nullable: true })
  @IsOptional()
  @ArrayMaxSize(500)
  @IsUUID(undefined, { each: true })
  groupIds?: string[] | null;
}
