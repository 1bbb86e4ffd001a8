import { Field, ID, InputType, registerEnumType } from '@nestjs/graphql';
import { IsEnum, IsHexadecimal, IsOptional, IsUUID, MaxLength } from 'class-validator';
import type { ApprovalDecision } from '../approvals/approval-decision.port.js';

const decisions = { approve: 'approve', deny: 'deny' } as const satisfies Record<ApprovalDecision, ApprovalDecision>;
registerEnumType(decisions, { name: 'ApprovalDecision' });

@InputType()
export class DecideApprovalInput {
  @Field(() => ID)
  @IsUUID()
  id: string;

  @Field(() => decisions)
  @IsEnum(decisions)
  decision: ApprovalDecision;

  @Field(() => String, {
    nullable: true,
    description: 'Required to approve: the "argumentsHash" of the call, after all arguments were visible.',
  })
  @IsOptional()
  @IsHexadecimal()
  argumentsHash?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Required to approve: the "definitionHash" of the definition shown with the arguments.',
  })
  @IsOptional()
  @IsHexadecimal()
  definitionHash?: string;

  @Field(() => String, { nullable: true, description: 'Required to deny. The agent receives it.' })
  @IsOptional()
  @MaxLength(1000)
  reason?: string;
}

@InputType()
export class OverrideApprovalInput {
  @Field(() => ID)
  @IsUUID()
  id: string;

  @Field({ description: 'The "argumentsHash" of the call, after all arguments were visible.' })
  @IsHexadecimal()
  argumentsHash: string;

  @Field({ description: 'The "definitionHash" of the definition shown with the arguments.' })
  @IsHexadecimal()
  definitionHash: string;

  @Field({ description: 'Why the call cannot wait for its approvers. Everyone who reviews the override reads it.' })
  @MaxLength(1000)
  reason: string;
}
