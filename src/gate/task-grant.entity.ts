import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { StoredPrincipal } from '../principal/stored-principal.js';

export const taskGrantStates = {
  proposed: 'proposed',
  active: 'active',
  declined: 'declined',
  revoked: 'revoked',
  ended: 'ended',
} as const;
export type TaskGrantState = keyof typeof taskGrantStates;
registerEnumType(taskGrantStates, {
  name: 'TaskGrantState',
  description:
    '"proposed": an approver proposed it, and more approvals of the call are needed. "declined": not everyone who approved the call approved the grant. "ended": used up, expired, or ended by a new message or a change.',
});

@ObjectType({
  description:
    'Approvers of a call allowed further calls of its tool in its task. Each call is still decided by the policies.',
})
@Entity('task_grants')
export class TaskGrant {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field(() => ID, { description: 'The call that was approved together with the grant.' })
  @Column('uuid')
  callId: string;

  @Field(() => ID)
  @Column('text')
  taskId: string;

  @Column('uuid')
  configurationId: string;

  @Column('text')
  identity: string;

  @Column('jsonb')
  caller: StoredPrincipal;

  @Field()
  @Column('text')
  tool: string;

  @Column('text')
  definitionHash: string;

  @Column('uuid', { nullable: true })
  connectionId: string | null;

  @Column('int', { nullable: true })
  connectionRevision: number | null;

  @Field(() => [String], { description: 'The approval steps that the grant replaces.' })
  @Column('text', { array: true })
  steps: string[];

  /** Of the call that the approvers saw. */
  @Column('bytea')
  argumentsHash: Buffer;

  @Field(() => [String], { description: 'The arguments that must have the value of the approved call.' })
  @Column('text', { array: true })
  equalArguments: string[];

  @Field(() => [String], { description: 'The arguments that may differ or be missing.' })
  @Column('text', { array: true })
  freeArguments: string[];

  /** Of the arguments without the free ones. */
  @Column('bytea')
  equalHash: Buffer;

  @Field(() => Int)
  @Column('int')
  maxUses: number;

  @Field(() => Int)
  @Column('int')
  uses: number;

  @Field(() => Int)
  @Column('int')
  expiresAfterSeconds: number;

  /** The messages of the task when the grant was proposed. */
  @Column('int')
  messageCount: number;

  @Field(() => taskGrantStates)
  @Column('text')
  state: TaskGrantState;

  @Column('uuid')
  proposedBy: string;

  /** The members who approved the grant, in order. */
  @Column('uuid', { array: true })
  voters: string[];

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Null until the grant is active.' })
  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  endedAt: Date | null;

  @Column('uuid', { nullable: true })
  endedBy: string | null;

  @Field(() => String, { nullable: true, description: 'Why the grant was declined, revoked or ended.' })
  @Column('text', { nullable: true })
  endReason: string | null;
}
