import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { JsonScalar } from '../platform/graphql/json.scalar.js';
import type { Artifact } from '../agent/agent-model.port.js';
import type { StoredPrincipal } from './stored-principal.js';

export const taskStates = [
  'submitted',
  'working',
  'input-required',
  'completed',
  'failed',
  'canceled',
  'rejected',
] as const;
export type TaskState = (typeof taskStates)[number];
const terminal: ReadonlySet<TaskState> = new Set(['completed', 'failed', 'canceled', 'rejected']);
export const isTerminal = (state: TaskState): boolean => terminal.has(state);

/** Why it does not go on now. `time`: it goes on by itself. `quarantine`: an administrator has to retry it. */
export type WaitReason = 'information' | 'approval' | 'pause' | 'time' | 'quarantine';

export const TaskStateName = {
  SUBMITTED: 'submitted',
  WORKING: 'working',
  INPUT_REQUIRED: 'input-required',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELED: 'canceled',
  REJECTED: 'rejected',
} as const satisfies Record<string, TaskState>;
registerEnumType(TaskStateName, { name: 'TaskState', description: 'Where a task is in its life' });

/** What a caller is told about a task; every state it ever had is kept as an event. */
export interface TaskStatus {
  state: TaskState;
  /** RFC 3339, UTC, milliseconds */
  timestamp: string;
  message?: { role: 'agent'; parts: { text: string }[] };
  metadata?: {
    /** What it waits for. `credentials` is `auth-required` on the wires that know that state. */
    reason?: 'approval' | 'information' | 'credentials' | 'pause' | 'quarantine';
    /** Of a completed task: what came out, its artifacts' parts, is a bare message where a wire has such a thing. */
    answersWith?: 'message';
    approvalId?: string;
    notFourEyes?: boolean;
    tool?: string;
    expiresAt?: string;
    missing?: string[];
    /** The caller's last message did not reach the agent that waits. */
    undelivered?: boolean;
    /** Which agent waits, where the task was handed on. */
    agent?: string;
    /** The call that handed it on: a message goes to the agent of the one that was shown last. */
    callId?: string;
  };
  error?: { code: string; detail: string; callId?: string };
}

/** Only whoever sent the task can give what it waits for, and does so by a message. */
export const awaitsCaller = (metadata: TaskStatus['metadata']): boolean =>
  metadata?.reason === 'information' || metadata?.reason === 'credentials';

@Entity('tasks')
@ObjectType({ description: 'A piece of work that an outside agent, or a person through a product, handed over' })
export class Task {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  /** Whose it is; to everybody else it does not exist. See owner.ts. */
  @Field(() => ID, {
    description: 'Whose task it is: an agent identity, a member, or a member through one product ("caller" says which)',
  })
  @Column('uuid')
  ownerId: string;

  @Field({ description: 'The id that the caller chose' })
  @Column('text')
  externalId: string;

  @Field(() => JsonScalar, {
    description: 'Who handed it over, through which surface, and the chain of those in between',
  })
  @Column('json', { name: 'principal' })
  caller: StoredPrincipal;

  @Field(() => ID)
  @Column('uuid')
  configurationId: string;

  @Field(() => TaskStateName)
  @Column('text')
  state: TaskState;

  @Field(() => JsonScalar, { description: 'State, time, message, and what is waited for or went wrong' })
  @Column('json')
  status: TaskStatus;

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'What came out; before the end, what was shown in pieces so far',
  })
  @Column('json', { nullable: true })
  artifacts: Artifact[] | null;

  @Field(() => Int, { description: 'How many turns the model took so far' })
  @Column('int')
  turns: number;

  @Field({ description: 'It has read text from outside, which policies may take into account' })
  @Column('boolean')
  isTainted: boolean;

  @Column('text', { nullable: true })
  waiting: WaitReason | null;

  @Field({
    description:
      'Two processes of the server ended while they worked on its current step. It is not worked on until "retryQuarantinedTask".',
  })
  get isQuarantined(): boolean {
    return this.waiting === 'quarantine';
  }

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  updatedAt: Date;
}
