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

  @Field(() => ID, { nullable: true, description: 'Left out: whoever makes it.' })
  @IsOptional()
  @IsUUID()
  responsibleMemberId?: string | null;
}

@InputType({ description: 'What is left out stays as it is.' })
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
export class RotateA2aKeyInput {
  @Field(() => ID)
  @IsUUID()
  a2aKeyId: string;

  @Field(() => Int, {
    defaultValue: 24 * 60 * 60,
    description: 'For how long both keys work, at most 30 days; 0 ends the old one at once.',
  })
  @IsInt()
  @Min(0)
  @Max(30 * 24 * 60 * 60)
  overlapSeconds: number;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When the new key ends.' })
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
