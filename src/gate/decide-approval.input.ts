import { Field, ID, InputType, registerEnumType } from '@nestjs/graphql';
import { IsEnum, IsHexadecimal, IsOptional, IsUUID, MaxLength } from 'class-validator';
import type { ApprovalDecision } from '../approvals/approvals.service.js';

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
    description: 'Needed to approve: of the arguments that were shown to the person, all of them, with nothing folded.',
  })
  @IsOptional()
  @IsHexadecimal()
  argumentsHash?: string;

  @Field(() => String, {
    nullable: true,
    description: 'Needed to approve: of the definition that was shown with them.',
  })
  @IsOptional()
  @IsHexadecimal()
  definitionHash?: string;

  @Field(() => String, { nullable: true, description: 'Needed to deny: it is told to the agent.' })
  @IsOptional()
  @MaxLength(1000)
  reason?: string;
}
