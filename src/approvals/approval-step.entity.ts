import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Tier } from './tier.js';

export type { Tier } from './tier.js';

export const tiers = { confirm: 'confirm', review: 'review' } as const satisfies Record<Tier, Tier>;
registerEnumType(tiers, {
  name: 'ApprovalTier',
  description: 'Who can decide: "confirm": the acting person; "review": a member who did not request the call.',
});

@ObjectType({
  description:
    'An approval step that policies refer to with @approval: who can decide, at which tier, and how long a call waits.',
})
@Entity('approval_steps')
export class ApprovalStep {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field({ description: 'The name that policies refer to.' })
  @PrimaryColumn('text')
  name: string;

  @Field(() => tiers)
  @Column('text')
  tier: Tier;

  @Field(() => ID, { nullable: true, description: 'The group whose members can decide; null for the administrators.' })
  @Column('uuid', { nullable: true })
  approverGroupId: string | null;

  @Field(() => Int, { description: 'How many members have to approve. One denial is enough to deny.' })
  @Column('int')
  quorum: number;

  @Field(() => Int, {
    description:
      'The order of the steps of a call: lower numbers are decided first, equal ones in the order of their names.',
  })
  @Column('int')
  position: number;

  @Field(() => Int, { description: 'Seconds after which an undecided call is denied.' })
  @Column('int')
  expiresAfterSeconds: number;

  @Field(() => Int, {
    nullable: true,
    description: 'Seconds after which the escalation group is added; null if there is none.',
  })
  @Column('int', { nullable: true })
  escalatesAfterSeconds: number | null;

  @Field(() => ID, { nullable: true, description: 'The escalation group; null for the administrators.' })
  @Column('uuid', { nullable: true })
  escalationGroupId: string | null;
  @Field({
    description:
      'Members who linked their Slack account can decide in Slack, with all arguments in the message. Never for destructive tools.',
  })
  @Column('boolean')
  decidableInSlack: boolean;

  @Field({ description: 'Every decision is signed with a passkey. Members without one cannot decide.' })
  @Column('boolean')
  requiresPasskey: boolean;

  @Field({ description: 'Approvers can edit the arguments of a call. Others then approve the edited call.' })
  @Column('boolean')
  allowsEdit: boolean;

  @Field(() => Int, {
    nullable: true,
    description:
      'Approvers can allow up to this many further calls of the same tool in the same task. Null: none. Never for destructive tools.',
  })
  @Column('int', { nullable: true })
  taskGrantMaxUses: number | null;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Null for a built-in step that was never changed.',
  })
  @Column('timestamptz')
  changedAt: Date | null;
}
