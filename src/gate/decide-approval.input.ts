import { Field, ID, InputType, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Type } from 'class-transformer';
import {
  ArrayMaxSize,
  IsEnum,
  IsHexadecimal,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import type { ApprovalDecision, TaskGrantTerms } from '../approvals/approval-decision.port.js';

const decisions = { approve: 'approve', deny: 'deny' } as const satisfies Record<ApprovalDecision, ApprovalDecision>;
registerEnumType(decisions, { name: 'ApprovalDecision' });

@InputType({ description: 'Further calls that an approver allows besides the call itself.' })
export class TaskGrantInput implements TaskGrantTerms {
  @Field(() => [String], {
    description: 'The arguments that must have the approved value. The others of the call may differ.',
  })
  @ArrayMaxSize(200)
  @IsString({ each: true })
  @MaxLength(200, { each: true })
  equalArguments: string[];

  @Field(() => Int, { description: 'How many further calls, between 1 and what the approval steps of the call allow.' })
  @IsInt()
  @Min(1)
  @Max(100)
  maxUses: number;

  @Field(() => Int, { description: 'Between 60 seconds and 24 hours, counted from the last approval.' })
  @IsInt()
  @Min(60)
  @Max(86_400)
  expiresAfterSeconds: number;
}

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

  @Field(() => TaskGrantInput, {
    nullable: true,
    description:
      'Also allows further calls of the same tool in the same task. The first approver proposes the terms; they take effect if every approver of the call sends the same ones.',
  })
  @IsOptional()
  @ValidateNested()
  @Type(() => TaskGrantInput)
  taskGrant?: TaskGrantInput;
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
