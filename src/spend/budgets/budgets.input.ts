import { Field, ID, InputType, Int } from '@nestjs/graphql';
import {
  ArrayMaxSize,
  ArrayMinSize,
  ArrayUnique,
  IsEnum,
  IsInt,
  IsOptional,
  IsUUID,
  Length,
  Matches,
  Max,
  Min,
} from 'class-validator';
import { basedOnField } from '../../platform/graphql/version.js';
import { type BudgetCounts, budgetCounts, type BudgetScope, budgetScopes } from './budget.entity.js';

const IsAmount = () =>
  Matches(/^(?!0+(\.0+)?$)\d{1,15}(\.\d{1,6})?$/, {
    message: 'must be a decimal number above zero, such as 25000 or 12.5',
  });

@InputType()
export class CreateSpendBudgetInput {
  @Field(() => budgetScopes)
  @IsEnum(budgetScopes)
  scope: BudgetScope;

  @Field(() => ID, { nullable: true, description: 'Required for the scopes "group" and "cost_centre".' })
  @IsOptional()
  @IsUUID()
  unitId?: string | null;

  @Field(() => ID, { nullable: true, description: 'Required for the scope "person".' })
  @IsOptional()
  @IsUUID()
  personId?: string | null;

  @Field(() => budgetCounts, { defaultValue: budgetCounts.all_usage })
  @IsEnum(budgetCounts)
  counts: BudgetCounts;

  @Field({ description: 'Amount per calendar month (UTC), in cents.' })
  @IsAmount()
  amountCents: string;

  @Field(() => [Int], { defaultValue: [50, 80, 100], description: 'Alert thresholds in percent, up to 1000.' })
  @ArrayMinSize(1)
  @ArrayMaxSize(10)
  @ArrayUnique()
  @IsInt({ each: true })
  @Min(1, { each: true })
  @Max(1000, { each: true })
  thresholds: number[];
}

@InputType()
export class SpendBudgetInput {
  @Field(() => ID)
  @IsUUID()
  budgetId: string;
}

@InputType({ description: 'Omitted fields stay unchanged.' })
export class UpdateSpendBudgetInput extends SpendBudgetInput {
  @Field(() => String, basedOnField)
  @IsOptional()
  @Length(1, 40)
  basedOn?: string | null;

  @Field(() => String, { nullable: true, description: 'Amount per calendar month (UTC), in cents.' })
  @IsOptional()
  @IsAmount()
  amountCents?: string | null;

  @Field(() => [Int], { nullable: true, description: 'Alert thresholds in percent, up to 1000.' })
  @IsOptional()
  @ArrayMinSize(1)
  @ArrayMaxSize(10)
  @ArrayUnique()
  @IsInt({ each: true })
  @Min(1, { each: true })
  @Max(1000, { each: true })
  thresholds?: number[] | null;
}
