import { ArgsType, Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { IsDate, IsOptional, IsString, IsUUID, Max, Min } from 'class-validator';
import { PolicyOutcome } from '../policies/replay-decisions.service.js';

export const replayGaps = {
  arguments_missing: 'arguments_missing',
  arguments_unreadable: 'arguments_unreadable',
  tool_missing: 'tool_missing',
} as const;
export type ReplayGap = keyof typeof replayGaps;
registerEnumType(replayGaps, {
  name: 'PolicyReplayGap',
  valuesMap: {
    arguments_missing: { description: 'No arguments are stored, for example because they were refused.' },
    arguments_unreadable: { description: 'The stored arguments cannot be decrypted.' },
    tool_missing: { description: 'The configuration no longer has the tool.' },
  },
});

@ArgsType()
export class ReplayPolicyArgs {
  @Field(() => ID)
  @IsUUID()
  configurationId: string;

  @Field({ description: 'Cedar policies that could be published.' })
  @IsString()
  text: string;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Only calls from this time on.' })
  @IsOptional()
  @IsDate()
  since?: Date | null;

  @Field(() => Int, { defaultValue: 1000, description: 'Calls to evaluate, at most 2,000.' })
  @Min(1)
  @Max(2000)
  first: number;

  @Field(() => String, { nullable: true, description: '"endCursor" of the previous page.' })
  @IsOptional()
  after?: string | null;
}

@ObjectType({ description: 'A recorded call that the text would decide differently.' })
export class ReplayedCallChange {
  @Field(() => ID)
  callId: string;

  @Field(() => ID, { nullable: true })
  taskId: string | null;

  @Field()
  tool: string;

  @Field({ description: 'The name of the caller.' })
  caller: string;

  @Field(() => GraphQLISODateTime)
  requestedAt: Date;

  @Field(() => PolicyOutcome, { description: 'By the published revision.' })
  before: PolicyOutcome;

  @Field(() => PolicyOutcome, { description: 'By the text.' })
  after: PolicyOutcome;

  @Field(() => [String], { description: 'The policies of the text that decide.' })
  policyIds: string[];

  @Field({ description: 'The reason for this verdict.' })
  reason: string;
}

@ObjectType({ description: 'A recorded call that cannot be evaluated.' })
export class UnreplayedCall {
  @Field(() => ID)
  callId: string;

  @Field()
  tool: string;

  @Field(() => replayGaps)
  gap: ReplayGap;
}

@ObjectType({
  description: 'One page of recorded calls, newest first, decided by the published revision and by a text.',
})
export class PolicyReplayPage {
  @Field(() => Int, { description: 'Calls of this page, including those that cannot be evaluated.' })
  calls: number;

  @Field(() => [ReplayedCallChange], { description: 'Every call whose verdict would change.' })
  changes: ReplayedCallChange[];

  @Field(() => [UnreplayedCall])
  notEvaluated: UnreplayedCall[];

  @Field(() => Int, { nullable: true, description: 'The number of calls in the period. Only on the first page.' })
  total: number | null;

  @Field(() => Int, { description: 'The published revision that the text is compared with; 0: none.' })
  revision: number;

  @Field(() => String, { nullable: true, description: 'Null if no calls are left.' })
  endCursor: string | null;
}
