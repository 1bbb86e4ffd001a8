import { Field, ID, Int, ObjectType } from '@nestjs/graphql';
import { JsonScalar } from '../platform/graphql/json.scalar.js';
import { type CallState, callStates } from './tool-call.entity.js';

@ObjectType({ description: 'The call that an approver decides on. It runs byte for byte as shown.' })
export class CallReview {
  @Field(() => ID)
  callId: string;

  configurationId: string;

  connectionId: string | null;

  @Field({ description: 'The name of the tool.' })
  tool: string;

  @Field({ description: 'The title in the confirmed definition of the tool.' })
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

  @Field({ description: 'SHA-256 of the canonical arguments.' })
  argumentsHash: string;

  @Field(() => JsonScalar, { description: 'The caller, the surface, and the chain of delegation.' })
  caller: object;

  @Field({ description: 'The task had read text from outside before it requested the call.' })
  tainted: boolean;

  @Field(() => [String], { description: 'The policies that required the approval.' })
  policyIds: string[];

  @Field(() => Int, { nullable: true })
  policyRevision: number | null;

  @Field(() => callStates, { description: 'The current state of the call.' })
  state: CallState;

  @Field(() => String, { nullable: true, description: 'Why the call was denied or failed.' })
  reason: string | null;
}
