import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { JsonScalar } from '../platform/graphql/json.scalar.js';
import { type CallState, callStates } from './tool-call.entity.js';

@ObjectType({ description: 'What an approver decides on: what is shown is what runs, byte for byte.' })
export class CallReview {
  @Field(() => ID)
  callId: string;

  configurationId: string;

  connectionId: string | null;

  @Field({ description: 'The name of the tool.' })
  tool: string;

  @Field({ description: 'Its definition, as it was confirmed.' })
  title: string;

  @Field()
  description: string;

  @Field(() => JsonScalar)
  inputSchema: object;

  @Field()
  definitionHash: string;

  @Field(() => String, { nullable: true, description: 'read, write or destructive' })
  effect: string | null;

  @Field({ description: 'The arguments in their canonical form (RFC 8785).' })
  arguments: string;

  @Field({ description: 'SHA-256 of them.' })
  argumentsHash: string;

  @Field(() => JsonScalar, { description: 'Who called, through which surface, and the chain of those in between.' })
  caller: object;

  @Field({ description: 'The task had read text from outside before it asked.' })
  tainted: boolean;

  @Field(() => [String], { description: 'The policies that asked.' })
  policyIds: string[];

  @Field(() => Int, { nullable: true })
  policyRevision: number | null;

  @Field(() => callStates, { description: 'What became of it.' })
  state: CallState;

  @Field(() => String, { nullable: true, description: 'Why it was denied or failed, in words.' })
  reason: string | null;
}
