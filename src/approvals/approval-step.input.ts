import { Field, ID, InputType, Int } from '@nestjs/graphql';
import { IsBoolean, IsEnum, IsInt, IsOptional, IsUUID, Matches, Max, Min } from 'class-validator';
import { tiers, type Tier } from './approval-step.entity.js';

@InputType()
export class SaveApprovalStepInput {
  @Field({ description: 'The name that policies use in @approval: lowercase letters, digits and hyphens.' })
  @Matches(/^[a-z][a-z0-9-]{0,39}$/, {
    message: 'must start with a letter and contain only lowercase letters, digits and hyphens, at most 40 characters',
  })
  name: string;

  @Field(() => tiers)
  @IsEnum(tiers)
  tier: Tier;

  @Field(() => ID, { nullable: true, description: 'The group whose members can decide. Omit for the administrators.' })
  @IsOptional()
  @IsUUID()
  approverGroupId?: string | null;

  @Field(() => Int, {
    defaultValue: 1,
    description: 'How many members have to approve, between 1 and 10. More than 1 only in tier "review".',
  })
  @IsInt()
  @Min(1)
  @Max(10)
  quorum: number;

  @Field(() => Int, {
    defaultValue: 1,
    description: 'If a call needs several steps, lower numbers are decided first. Between 1 and 100.',
  })
  @IsInt()
  @Min(1)
  @Max(100)
  position: number;

  @Field(() => Int, { defaultValue: 86_400, description: 'Between 60 seconds and 30 days.' })
  @IsInt()
  @Min(60)
  @Max(30 * 86_400)
  expiresAfterSeconds: number;

  @Field(() => Int, {
    nullable: true,
    description:
      'The escalation group is added if no one has decided after this time: at least 60 seconds, and less than "expiresAfterSeconds". Only in tier "review".',
  })
  @IsOptional()
  @IsInt()
  @Min(60)
  @Max(30 * 86_400)
  escalatesAfterSeconds?: number | null;

  @Field(() => ID, { nullable: true, description: 'The escalation group. Omit for the administrators.' })
  @IsOptional()
  @IsUUID()
  escalationGroupId?: string | null;
  @Field({ defaultValue: false, description: 'Members can decide in Slack. Only with a quorum of 1.' })
  @IsBoolean()
  decidableInSlack?: boolean;

  @Field({
    defaultValue: false,
    description:
      'Every decision is signed with a passkey that was registered before the call was requested. Not with "decidableInSlack". Turning it off requires a session in which you confirmed your identity within the last ten minutes.',
  })
  @IsBoolean()
  requiresPasskey?: boolean;

  @Field({
    defaultValue: false,
    description: 'Approvers can edit the arguments of a call, and others approve it. Only in tier "review".',
  })
  @IsBoolean()
  allowsEdit?: boolean;

  @Field(() => Int, {
    nullable: true,
    description:
      'Approvers can allow up to this many further calls of the same tool in the same task, between 1 and 100. Omit to allow none.',
  })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(100)
  taskGrantMaxUses?: number | null;
}
