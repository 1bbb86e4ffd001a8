import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Tier } from './tier.js';

export type { Tier } from './tier.js';

export const tiers = { confirm: 'confirm', review: 'review' } as const satisfies Record<Tier, Tier>;
registerEnumType(tiers, {
  name: 'ApprovalTier',
  description: 'Who may decide: in "confirm" the acting person, in "review" somebody who did not ask for the call.',
});

@ObjectType({
  description: 'What a policy names in @approval: who may decide, how strictly, and for how long it waits.',
})
@Entity('approval_steps')
export class ApprovalStep {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field({ description: 'The name that policies use.' })
  @PrimaryColumn('text')
  name: string;

  @Field(() => tiers)
  @Column('text')
  tier: Tier;

  @Field(() => ID, { nullable: true, description: 'The group whose members decide; null: the administrators.' })
  @Column('uuid', { nullable: true })
  approverGroupId: string | null;

  @Field(() => Int, { description: 'Seconds until a call that nobody decided on is denied.' })
  @Column('int')
  expiresAfterSeconds: number;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Null for a step that came with the product and was never changed.',
  })
  @Column('timestamptz')
  changedAt: Date | null;
}
