import { Field, GraphQLISODateTime, ID, InputType, Int } from '@nestjs/graphql';
import { IsDate, IsInt, IsOptional, IsUUID, Max, Min } from 'class-validator';
import { IsText } from '../platform/graphql/is-text.decorator.js';

@InputType()
export class CreateAgentInput {
  @Field(() => ID)
  @IsUUID()
  configurationId: string;

  @Field()
  @IsText(80)
  name: string;

  @Field(() => ID, { nullable: true, description: 'Defaults to the caller.' })
  @IsOptional()
  @IsUUID()
  responsibleMemberId?: string | null;
}

@InputType({ description: 'Omitted fields stay unchanged.' })
export class UpdateAgentInput {
  @Field(() => ID)
  @IsUUID()
  agentId: string;

  @Field({ nullable: true })
  @IsOptional()
  @IsText(80)
  name?: string;

  @Field(() => ID, { nullable: true })
  @IsOptional()
  @IsUUID()
  responsibleMemberId?: string;
}

@InputType()
export class PauseAgentInput {
  @Field(() => ID)
  @IsUUID()
  agentId: string;
}

@InputType()
export class CreateA2aKeyInput {
  @Field(() => ID)
  @IsUUID()
  agentId: string;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @IsOptional()
  @IsDate()
  expiresAt?: Date | null;
}

@InputType()
export class CreateAgentWithKeyInput {
  @Field(() => ID)
  @IsUUID()
  configurationId: string;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When the key expires.' })
  @IsOptional()
  @IsDate()
  expiresAt?: Date | null;
}

@InputType()
export class RotateA2aKeyInput {
  @Field(() => ID)
  @IsUUID()
  a2aKeyId: string;

  @Field(() => Int, {
    defaultValue: 24 * 60 * 60,
    description: 'How long both keys are valid: at most 30 days; 0 revokes the old key immediately.',
  })
  @IsInt()
  @Min(0)
  @Max(30 * 24 * 60 * 60)
  overlapSeconds: number;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When the new key expires.' })
  @IsOptional()
  @IsDate()
  expiresAt?: Date | null;
}

@InputType()
export class A2aKeyInput {
  @Field(() => ID)
  @IsUUID()
  a2aKeyId: string;
}
