import { Field, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';
import { JsonScalar } from '../platform/graphql/json.scalar.js';
import { type CallState, callStates } from './tool-call.entity.js';

@ObjectType({ description: 'A value that an edit added, changed or removed.' })
export class ReviewedArgumentChange {
  @Field({ description: 'JSON pointer into the arguments.' })
  pointer: string;

  @Field(() => String, { nullable: true, description: 'As JSON; null: the edit added the value.' })
  before: string | null;

  @Field(() => String, { nullable: true, description: 'As JSON; null: the edit removed the value.' })
  after: string | null;

  @Field({ description: 'The name suggests a secret: show the values only on request.' })
  mayBeSecret: boolean;
}

@ObjectType({ description: 'An edit of the arguments by an approver.' })
export class CallReviewEdit {
  @Field(() => ID)
  editorId: string;

  @Field(() => String, { nullable: true, description: 'Null if the member was erased.' })
  editorName: string | null;

  @Field(() => GraphQLISODateTime)
  editedAt: Date;

  @Field(() => [ReviewedArgumentChange], {
    nullable: true,
    description: 'Null: the arguments before or after the edit cannot be decrypted.',
  })
  changes: ReviewedArgumentChange[] | null;
}

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

  /** In their canonical form. Throws if they cannot be decrypted. */
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

  @Field(() => [CallReviewEdit], { description: 'The edits of the arguments by approvers, oldest first.' })
  edits: CallReviewEdit[];

  @Field(() => callStates, { description: 'The current state of the call.' })
  state: CallState;

  @Field(() => String, { nullable: true, description: 'Why the call was denied or failed.' })
  reason: string | null;
}
