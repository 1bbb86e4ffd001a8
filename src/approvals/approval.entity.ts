import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { tiers } from './approval-step.entity.js';
import type { Tier } from './tier.js';

export type ApprovalState = 'pending' | 'approved' | 'denied' | 'expired' | 'void';

export const approvalStates = {
  pending: 'pending',
  approved: 'approved',
  denied: 'denied',
  expired: 'expired',
  void: 'void',
} as const satisfies Record<ApprovalState, ApprovalState>;
registerEnumType(approvalStates, {
  name: 'ApprovalState',
  description: '"void": what was to be approved is not what would run any more, or the call was withdrawn.',
});

@ObjectType({ description: 'One step that one tool call has to pass: a person decides on exactly this call, once.' })
@Entity('approvals')
export class Approval {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field(() => ID)
  @Column('uuid')
  callId: string;

  @Field(() => ID)
  @Column('uuid')
  configurationId: string;

  @Field(() => ID, { nullable: true })
  @Column('text', { nullable: true })
  taskId: string | null;

  @Field()
  @Column('text')
  tool: string;

  @Field({ description: 'The step of the policy that asked.' })
  @Column('text')
  stepName: string;

  @Field(() => tiers)
  @Column('text')
  tier: Tier;

  @Field(() => ID, { nullable: true, description: 'The group whose members decide; null: the administrators.' })
  @Column('uuid', { nullable: true })
  approverGroupId: string | null;

  @Field(() => approvalStates)
  @Column('text')
  state: ApprovalState;

  @Field(() => [ID], {
    description:
      'Everybody answerable for the call, or able to use the account of somebody who is. None of them decides in review.',
  })
  @Column('uuid', { array: true })
  requesters: string[];

  @Field(() => [ID], {
    description:
      'Who could decide when the call was requested. Nobody is added later; some may have become ineligible.',
  })
  @Column('uuid', { array: true })
  deciders: string[];

  @Field(() => Int, {
    description: 'From 2 on: the call ran before, nobody knows with what outcome, and somebody asked to run it again.',
  })
  @Column('int')
  round: number;

  @Column('boolean')
  byAgent: boolean;

  /** The acting person; for an agent identity the member responsible for it. */
  @Column('uuid', { nullable: true })
  answerableId: string | null;

  @Field({
    description:
      'No second person decides: the organization has a single active member, the person confirms their own call, or everybody who may confirm could be a requester.',
  })
  @Column('boolean')
  notFourEyes: boolean;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  @Field(() => GraphQLISODateTime, { description: 'Undecided until then, the call is denied.' })
  @Column('timestamptz')
  expiresAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  decidedAt: Date | null;

  @Field(() => ID, { nullable: true, description: 'The member who decided.' })
  @Column('uuid', { nullable: true })
  decidedBy: string | null;

  @Field(() => String, { nullable: true, description: 'Why it was denied, or is void.' })
  @Column('text', { nullable: true })
  reason: string | null;
}
