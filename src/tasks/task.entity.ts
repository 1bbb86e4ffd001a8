import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { JsonScalar } from '../platform/graphql/json.scalar.js';
import type { Artifact } from '../agent/agent-model.port.js';
import type { StoredPrincipal } from '../principal/stored-principal.js';

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

/** Why the task waits. `time`: it continues automatically. `quarantine`: an administrator has to retry it. */
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
registerEnumType(TaskStateName, { name: 'TaskState', description: 'The state of a task in its lifecycle.' });

/** The status of a task as its caller sees it. Each status is stored as an event. */
export interface TaskStatus {
  state: TaskState;
  /** RFC 3339, UTC, milliseconds */
  timestamp: string;
  message?: { role: 'agent'; parts: { text: string }[] };
  metadata?: {
    /** What the task waits for. `credentials` is `auth-required` in protocols with that state. */
    reason?: 'approval' | 'information' | 'credentials' | 'pause' | 'quarantine';
    /** For a completed task: its artifacts are returned as a bare message in protocols that support one. */
    answersWith?: 'message';
    approvalId?: string;
    notFourEyes?: boolean;
    tool?: string;
    expiresAt?: string;
    missing?: string[];
    /** The caller's last message did not reach the waiting agent. */
    undelivered?: boolean;
    /** The delegated agent that waits. */
    agent?: string;
    /** The call that delegated to it. A message goes to the agent of the call that was shown last. */
    callId?: string;
  };
  error?: { code: string; detail: string; callId?: string };
}

/** The task waits for a message from its caller. */
export const awaitsCaller = (metadata: TaskStatus['metadata']): boolean =>
  metadata?.reason === 'information' || metadata?.reason === 'credentials';

@Entity('tasks')
@ObjectType({ description: 'A task submitted by an external agent or by a person.' })
export class Task {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  /** To other callers the task does not exist. See owner.ts. */
  @Field(() => ID, {
    description: 'The owner: an agent identity, a member, or a member using one product ("caller" says which).',
  })
  @Column('uuid')
  ownerId: string;

  @Field({ description: 'The id chosen by the caller.' })
  @Column('text')
  externalId: string;

  @Field(() => JsonScalar, {
    description: 'Who submitted the task, through which interface, and the chain of intermediaries.',
  })
  @Column('json', { name: 'principal' })
  caller: StoredPrincipal;

  @Field(() => ID)
  @Column('uuid')
  configurationId: string;

  @Field(() => TaskStateName)
  @Column('text')
  state: TaskState;

  @Field(() => JsonScalar, { description: 'State, time and message, and what the task waits for or why it failed.' })
  @Column('json')
  status: TaskStatus;

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'The result of the task; before it ends, the artifacts shown so far.',
  })
  @Column('json', { nullable: true })
  artifacts: Artifact[] | null;

  @Field(() => Int, { description: 'Number of model turns so far.' })
  @Column('int')
  turns: number;

  @Field({ description: 'True if the task has read external text; policies can use this.' })
  @Column('boolean')
  isTainted: boolean;

  @Column('text', { nullable: true })
  waiting: WaitReason | null;

  @Field({
    description:
      'True if two processes of the server ended while they worked on its current step. The task waits until it is retried with "retryQuarantinedTask".',
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
