import { Field, ID, InputType, ObjectType } from '@nestjs/graphql';
import { IsHexadecimal, IsUUID, MaxLength } from 'class-validator';
import { ApprovalCandidate } from '../approvals/approval-candidate.entity.js';
import { type CallState, callStates } from './tool-call.entity.js';

/** JSON of the longest call; the schema of the tool limits it further. */
const maxArgumentsLength = 1024 * 1024;

@InputType()
export class EditCallInput {
  @Field(() => ID, { description: 'The pending approval whose call you edit.' })
  @IsUUID()
  approvalId: string;

  @Field({ description: 'The complete edited arguments, as JSON text.' })
  @MaxLength(maxArgumentsLength)
  arguments: string;

  @Field({ description: 'The "argumentsHash" of the arguments that you edited.' })
  @IsHexadecimal()
  argumentsHash: string;

  @Field({ description: 'The "definitionHash" of the definition shown with the arguments.' })
  @IsHexadecimal()
  definitionHash: string;
}

@ObjectType({ description: 'What an edit of the arguments of a call leads to.' })
export class CallEditResult {
  @Field(() => ID)
  callId: string;

  @Field(() => callStates, { description: '"denied": the policies deny the edited call, which ends it.' })
  state: CallState;

  @Field(() => String, { nullable: true, description: 'Why the call was denied.' })
  reason: string | null;

  @Field(() => ID, { nullable: true, description: 'The approval that the edited call waits for.' })
  approvalId: string | null;

  @Field(() => [String], { description: 'The approval steps that the edited call needs.' })
  steps: string[];

  @Field({ description: 'SHA-256 of the canonical edited arguments.' })
  argumentsHash: string;

  @Field(() => [ApprovalCandidate], { description: 'Everyone named by the approval steps of the edited call.' })
  candidates: ApprovalCandidate[];
}
