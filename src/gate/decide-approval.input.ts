import { Field, ID, InputType, ObjectType, registerEnumType } from '@nestjs/graphql';
import { IsEnum, IsHexadecimal, IsOptional, IsUUID, MaxLength } from 'class-validator';
import type { ApprovalDecision } from '../approvals/approval-decision.port.js';

const decisions = { approve: 'approve', deny: 'deny' } as const satisfies Record<ApprovalDecision, ApprovalDecision>;
registerEnumType(decisions, { name: 'ApprovalDecision' });

@InputType()
export class RequestApprovalPasskeyInput {
  @Field(() => ID)
  @IsUUID()
  id: string;

  @Field(() => decisions)
  @IsEnum(decisions)
  decision: ApprovalDecision;

  @Field(() => String, { nullable: true, description: 'Required to approve, as in "decideApproval".' })
  @IsOptional()
  @IsHexadecimal()
  argumentsHash?: string;

  @Field(() => String, { nullable: true, description: 'Required to approve, as in "decideApproval".' })
  @IsOptional()
  @IsHexadecimal()
  definitionHash?: string;
}

@ObjectType()
export class ApprovalPasskeyRequest {
  @Field({
    description:
      'The options for navigator.credentials.get(), as JSON text for PublicKeyCredential.parseRequestOptionsFromJSON(). Valid for five minutes, for one decision in this session.',
  })
  options: string;
}

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

  @Field(() => String, {
    nullable: true,
    description:
      'Required if the approval requires a passkey: the answer to "requestApprovalPasskey", as the JSON text of PublicKeyCredential.toJSON().',
  })
  @IsOptional()
  @MaxLength(65_536)
  passkeyResponse?: string;

  @Field(() => String, { nullable: true, description: 'Required to deny. The agent receives it.' })
  @IsOptional()
  @MaxLength(1000)
  reason?: string;
}
