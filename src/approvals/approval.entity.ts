import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { tiers } from './approval-step.entity.js';
import type { ApprovalFacts, ApprovalState } from './approval-state.js';
import type { Tier } from './tier.js';

export { type ApprovalState, isClosed } from './approval-state.js';

export const approvalStates = {
  waiting: 'waiting',
  pending: 'pending',
  approved: 'approved',
  denied: 'denied',
  expired: 'expired',
  void: 'void',
} as const satisfies Record<ApprovalState, ApprovalState>;
registerEnumType(approvalStates, {
  name: 'ApprovalState',
  description:
    '"waiting": an earlier step of the call is undecided. "void": the call would no longer run as requested, no one is left who can decide, or the call was withdrawn.',
});

@ObjectType({ description: 'An approval step of one tool call. A person decides on exactly this call, once.' })
@Entity('approvals')
export class Approval implements ApprovalFacts {
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

  @Field(() => Int, { description: 'The position among the steps of the call, which are decided in order, from 1.' })
  @Column('int')
  stepNumber: number;

  @Field(() => Int, { description: 'How many steps the call needs.' })
  @Column('int')
  stepCount: number;

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

  @Column('uuid', { array: true })
  approvedFor: string[];

  /** Substitutions that applied to the deciders when the call was requested, or begin before the approval expires. */
  @Column('uuid', { array: true })
  substitutionIds: string[];
  /** The notifications whose link was used for a decision. */
  @Column('uuid', { array: true })
  usedLinks: string[];

  @Field(() => Int, {
    description:
      '2 or more: an approver edited the call, or its outcome was unknown and a member requested to run it again.',
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

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When the step opened for decisions. Null while it waits.',
  })
  @Column('timestamptz', { nullable: true })
  openedAt: Date | null;

  /** Counted from the time at which the step opens. */
  @Column('int')
  expiresAfterSeconds: number;

  @Field(() => GraphQLISODateTime, {
    description: 'If undecided by then, the call is denied. While the step waits: the latest possible time.',
  })
  @Column('timestamptz')
  expiresAt: Date;

  @Field(() => ID, {
    nullable: true,
    description: 'The escalation group, which is added if no one decides in time; null for the administrators.',
  })
  @Column('uuid', { nullable: true })
  escalationGroupId: string | null;

  /** Counted from the time at which the step opens. Null: the step has no escalation group. */
  @Column('int', { nullable: true })
  escalatesAfterSeconds: number | null;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When the escalation group is added. Null if the step has none, or while it waits.',
  })
  @Column('timestamptz', { nullable: true })
  escalatesAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When the escalation group was added.' })
  @Column('timestamptz', { nullable: true })
  escalatedAt: Date | null;

  /** Members of the escalation group who could decide when the call was requested. They can decide after the escalation. */
  @Column('uuid', { array: true })
  escalationDeciders: string[];

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  decidedAt: Date | null;

  @Field(() => ID, { nullable: true, description: 'The member who decided; with a quorum, the last one.' })
  @Column('uuid', { nullable: true })
  decidedBy: string | null;

  @Field(() => ID, { nullable: true, description: 'The member whose vote it was, if a substitute decided.' })
  @Column('uuid', { nullable: true })
  decidedFor: string | null;

  @Field(() => ID, {
    nullable: true,
    description: 'The member with break-glass rights who approved it in place of its approvers.',
  })
  @Column('uuid', { nullable: true })
  overriddenBy: string | null;

  /** The step allowed it when the call was requested. */
  @Column('boolean')
  decidableInSlack: boolean;

  @Field({ description: 'The member decided in Slack, not in the console.' })
  @Column('boolean')
  decidedInSlack: boolean;

  @Field({ description: 'Decisions are signed with a passkey.' })
  @Column('boolean')
  requiresPasskey: boolean;

  /** The passkeys that counted when the call was requested. None is added later. */
  @Column('uuid', { array: true })
  passkeyIds: string[];

  @Field(() => String, { nullable: true, description: 'Why the approval was denied or voided.' })
  @Column('text', { nullable: true })
  reason: string | null;
}
