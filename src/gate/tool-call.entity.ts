import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { JsonScalar } from '../platform/graphql/json.scalar.js';
import type { ChainLink, AccessScope, Surface } from '../principal/principal.js';

export const callStates = {
  requested: 'requested',
  denied: 'denied',
  awaiting_approval: 'awaiting_approval',
  approved: 'approved',
  executing: 'executing',
  succeeded: 'succeeded',
  failed: 'failed',
  unsettled: 'unsettled',
} as const;
export type CallState = keyof typeof callStates;
registerEnumType(callStates, {
  name: 'ToolCallState',
  description:
    '"unsettled": it may have happened or not; nobody knows until a person settles it, and it is never repeated by itself.',
});

export const settlements = { happened: 'happened', did_not_happen: 'did_not_happen', run_again: 'run_again' } as const;
export type Settlement = keyof typeof settlements;
registerEnumType(settlements, { name: 'Settlement', description: 'What a person found out about an unsettled call.' });

/** Who called, as far as it is needed to decide again later. No permissions: they are never carried over. */
export interface StoredCaller {
  kind: 'member' | 'agent' | 'system';
  name: string;
  memberId?: string;
  agentId?: string;
  configurationId?: string;
  keyId?: string;
  clientId?: string;
  grantId?: string;
  surface: Surface;
  scopes: readonly AccessScope[];
  chain: readonly ChainLink[];
}

/** What the policies of a configuration that delegates said. */
export interface NarrowedBy {
  configurationId: string;
  policyIds: string[];
  revision: number;
}

/** The tool as it was confirmed when the call was asked for: what an approver reads. */
export interface ConfirmedDefinition {
  title: string;
  description: string;
  inputSchema: object;
}

@ObjectType({
  description: 'One row of the ledger: a call of a tool, what was decided about it and what became of it.',
})
@Entity('tool_calls')
export class ToolCall {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field(() => ID)
  @Column('uuid')
  configurationId: string;

  @Field(() => ID, { nullable: true })
  @Column('text', { nullable: true })
  taskId: string | null;

  @Field(() => [String], {
    name: 'refs',
    description: 'What the turns of its task call it: more than one where a model asked for the same thing twice.',
  })
  @Column('text', { array: true })
  callRefs: string[];

  @Column('text')
  identity: string;

  @Field(() => JsonScalar, { description: 'Who called, through which surface, and the chain of those in between.' })
  @Column('jsonb')
  caller: StoredCaller;

  @Field()
  @Column('text')
  tool: string;

  @Field(() => String, { nullable: true, description: 'read, write or destructive; null where there is no such tool.' })
  @Column('text', { nullable: true })
  effect: string | null;

  @Field(() => ID, { nullable: true })
  @Column('uuid', { nullable: true })
  connectionId: string | null;

  @Column('int', { nullable: true })
  connectionRevision: number | null;

  @Field(() => String, { nullable: true, description: 'SHA-256 of the canonical form of the tool’s definition.' })
  @Column('text', { nullable: true })
  definitionHash: string | null;

  @Column('jsonb', { nullable: true })
  definition: ConfirmedDefinition | null;

  /** Salt (16 bytes) and canonical bytes, sealed together: the salt of the audit log's hash dies with them. */
  @Column('bytea', { nullable: true })
  argumentsSealed: Buffer | null;

  @Column('bytea', { nullable: true })
  argumentsHash: Buffer | null;

  /** Of salt and arguments, while both are at hand: for the audit log, and in no column. */
  saltedHash?: string;

  @Field(() => JsonScalar, { nullable: true, description: 'The arguments without their text.' })
  @Column('jsonb', { nullable: true })
  redactedArguments: object | null;

  @Field(() => [String], { description: 'The policies that decided.' })
  @Column('text', { array: true })
  policyIds: string[];

  @Field(() => Int, { nullable: true, description: 'Their revision.' })
  @Column('int', { nullable: true })
  policyRevision: number | null;

  @Field(() => [String], { description: 'The approval steps that it had to pass.' })
  @Column('text', { array: true })
  steps: string[];

  @Field(() => [JsonScalar], {
    nullable: true,
    description:
      'The policies of those that handed the task on, which decided as well: configurationId, policyIds, revision.',
  })
  @Column('jsonb', { nullable: true })
  narrowedBy: NarrowedBy[] | null;

  /** It hands a task on: it is looked at again until that has ended, and never given up as lost. */
  @Column('boolean')
  isDelegation: boolean;

  @Column('boolean')
  tainted: boolean;

  /** The outcome holds words of another system, or may: a task that reads it is tainted. */
  @Column('boolean')
  isForeign: boolean;

  @Field(() => callStates)
  @Column('text')
  state: CallState;

  @Field(() => String, { nullable: true, description: 'Why it was denied or failed.' })
  @Column('text', { nullable: true })
  code: string | null;

  @Field(() => String, { nullable: true, description: 'The same in words.' })
  @Column('text', { nullable: true })
  reason: string | null;

  @Field(() => Int, { description: 'How often it was sent.' })
  @Column('int')
  attempts: number;

  @Column('int', { nullable: true })
  leaseEpoch: number | null;

  @Column('text', { nullable: true })
  executor: string | null;

  @Column('timestamptz', { nullable: true })
  executingUntil: Date | null;

  @Column('bytea', { nullable: true })
  retryKey: Buffer | null;

  @Column('bytea', { nullable: true })
  resultSealed: Buffer | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  requestedAt: Date;

  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When it was sent, the last time.' })
  @Column('timestamptz', { nullable: true })
  executedAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  endedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  deliveredAt: Date | null;

  @Field(() => ID, { nullable: true, description: 'The member who settled it.' })
  @Column('uuid', { nullable: true })
  settledBy: string | null;

  @Field(() => settlements, { nullable: true })
  @Column('text', { nullable: true })
  settlement: Settlement | null;
}
