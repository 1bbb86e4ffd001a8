import { Field, ID, InputType, Int } from '@nestjs/graphql';
import { IsEnum, IsInt, IsOptional, IsUUID, Matches, Max, Min } from 'class-validator';
import { tiers, type Tier } from './approval-step.entity.js';

@InputType()
export class SaveApprovalStepInput {
  @Field({ description: 'Lower-case letters, digits and hyphens; what policies write in @approval.' })
  @Matches(/^[a-z][a-z0-9-]{0,39}$/, {
    message: 'has to be of lower-case letters, digits and hyphens, beginning with a letter, at most 40',
  })
  name: string;

  @Field(() => tiers)
  @IsEnum(tiers)
  tier: Tier;

  @Field(() => ID, { nullable: true, description: 'The group whose members decide; left out: the administrators.' })
  @IsOptional()
  @IsUUID()
  approverGroupId?: string | null;

  @Field(() => Int, { defaultValue: 86_400, description: 'Between a minute and 30 days.' })
  @IsInt()
  @Min(60)
  @Max(30 * 86_400)
  expiresAfterSeconds: number;
}
