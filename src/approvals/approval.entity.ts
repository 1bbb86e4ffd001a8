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
  description:
    '"void": the call would no longer run as requested, no one is left who can decide, or the call was withdrawn.',
});

@ObjectType({ description: 'An approval step of one tool call. A person decides on exactly this call, once.' })
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

  @Field({ description: 'The approval step that the policy required.' })
  @Column('text')
  stepName: string;

  @Field(() => tiers)
  @Column('text')
  tier: Tier;

  @Field(() => ID, { nullable: true, description: 'The group whose members can decide; null for the administrators.' })
  @Column('uuid', { nullable: true })
  approverGroupId: string | null;

  @Field(() => approvalStates)
  @Column('text')
  state: ApprovalState;

  @Field(() => [ID], {
    description:
      'Everyone responsible for the call, and everyone who could use the account of a responsible member. None of them can decide in tier "review".',
  })
  @Column('uuid', { array: true })
  requesters: string[];

  @Field(() => [ID], {
    description:
      'Members who could decide when the call was requested. No one is added later; some may have become ineligible.',
  })
  @Column('uuid', { array: true })
  deciders: string[];

  @Field(() => Int, { description: 'How many members have to approve. One denial is enough to deny.' })
  @Column('int')
  quorum: number;

  /** The members whose approvals count, in the order of their decisions. */
  @Column('uuid', { array: true })
  approvedBy: string[];

  /** The notifications whose link was used for a decision. */
  @Column('uuid', { array: true })
  usedLinks: string[];

  @Field(() => Int, {
    description: '2 or more: the call ran before with an unknown outcome, and a member requested to run it again.',
  })
  @Column('int')
  round: number;

  @Column('boolean')
  byAgent: boolean;

  /** The acting person; for an agent, the member responsible for it. */
  @Column('uuid', { name: 'answerable_id', nullable: true })
  responsibleId: string | null;

  @Field({
    description:
      'Self-approved: no second, independent person decides. The organization has a single active member, the person confirms their own call, or everyone who can confirm is or could be a requester.',
  })
  @Column('boolean', { name: 'not_four_eyes' })
  selfApproved: boolean;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  @Field(() => GraphQLISODateTime, { description: 'If undecided by then, the call is denied.' })
  @Column('timestamptz')
  expiresAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  decidedAt: Date | null;

  @Field(() => ID, { nullable: true, description: 'The member who decided; with a quorum, the last one.' })
  @Column('uuid', { nullable: true })
  decidedBy: string | null;

  @Field({ description: 'The member decided in Slack, not in the console.' })
  @Column('boolean')
  decidedInSlack: boolean;

  @Field(() => String, { nullable: true, description: 'Why the approval was denied or voided.' })
  @Column('text', { nullable: true })
  reason: string | null;
}
