import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { PolicyOutcome } from '../policies/replay-decisions.service.js';

const stopReasons = { stopped: 'stopped', published: 'published', too_expensive: 'too_expensive' } as const;
export type ShadowStopReason = keyof typeof stopReasons;
registerEnumType(stopReasons, {
  name: 'PolicyShadowStopReason',
  valuesMap: {
    stopped: { description: 'An administrator stopped it.' },
    published: { description: 'Another revision was published.' },
    too_expensive: { description: 'The text takes too much time or memory.' },
  },
});

@ObjectType({ description: 'A call that the text of a shadow decides differently.' })
export class ShadowedCall {
  @Field(() => ID)
  callId: string;

  @Field(() => ID, { nullable: true })
  taskId: string | null;

  @Field({ description: 'The name of the caller.' })
  caller: string;

  @Field(() => GraphQLISODateTime)
  requestedAt: Date;

  @Field({ description: 'The reason for this verdict.' })
  reason: string;
}

@ObjectType({ description: 'Calls of one tool that the text of a shadow decides differently.' })
export class ShadowedChange {
  @Field()
  tool: string;

  @Field(() => PolicyOutcome, { description: 'By the published revision.' })
  before: PolicyOutcome;

  @Field(() => PolicyOutcome, { description: 'By the text of the shadow.' })
  after: PolicyOutcome;

  @Field(() => Int)
  calls: number;

  @Field(() => [ShadowedCall], { description: 'The last calls, newest first.' })
  examples: ShadowedCall[];
}

/** JSON has no dates. */
function readChanges(stored: readonly ShadowedChange[]): ShadowedChange[] {
  return stored.map(({ examples, ...change }) => ({
    ...change,
    examples: examples.map((call) => ({ ...call, requestedAt: new Date(call.requestedAt) })),
  }));
}

@ObjectType({
  description:
    'A policy text that is tried on every new call of a configuration. Its verdicts are recorded and decide nothing.',
})
@Entity('policy_shadows')
export class PolicyShadow {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  configurationId: string;

  /** New with every start. */
  @Column('uuid')
  id: string;

  @Field({ description: 'Cedar policies.' })
  @Column('text')
  text: string;

  @Field(() => Int, { description: 'The published revision that it is compared with; 0: none.' })
  @Column('int')
  revision: number;

  @Field(() => ID, { nullable: true })
  @Column('uuid', { nullable: true })
  startedBy: string | null;

  @Field({ description: 'The name of the member who started it.' })
  @Column('text')
  starter: string;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  startedAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Null while it runs.' })
  @Column('timestamptz', { nullable: true })
  stoppedAt: Date | null;

  @Field(() => stopReasons, { nullable: true })
  @Column('text', { nullable: true })
  stopReason: ShadowStopReason | null;

  /** Until then, a job may work on it. Null: none has. */
  @Column('timestamptz', { nullable: true })
  claimedUntil: Date | null;

  /** Calls with lower ids were evaluated. */
  @Column('uuid')
  evaluatedUntil: string;

  @Field(() => Int, { description: 'Calls since the start, without the last three minutes.' })
  @Column('int')
  calls: number;

  @Field(() => Int, {
    description: 'Of these, calls that could not be evaluated, for example because their arguments were refused.',
  })
  @Column('int')
  notEvaluated: number;

  @Field(() => [ShadowedChange], { description: 'The calls with another verdict, by tool and verdicts.' })
  @Column('jsonb', { transformer: { to: (changes: ShadowedChange[]) => changes, from: readChanges } })
  changes: ShadowedChange[];
}
