import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ResultNotice } from '../connections/tools.service.js';
import { JsonScalar } from '../platform/graphql/json.scalar.js';
import type { StoredPrincipal } from '../principal/stored-principal.js';

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
    '"unsettled": the outcome is unknown until a person resolves it. The call may have taken effect and is never repeated automatically.',
});

export const settlements = { happened: 'happened', did_not_happen: 'did_not_happen', run_again: 'run_again' } as const;
export type Settlement = keyof typeof settlements;
registerEnumType(settlements, {
  name: 'Settlement',
  description: 'How a person resolves an unsettled call.',
  valuesMap: {
    happened: { description: 'The call took effect.' },
    did_not_happen: { description: 'The call did not take effect.' },
    run_again: {
      description:
        'Requests the call again; it is decided like a new call. May create a duplicate if the first attempt succeeded.',
    },
  },
});

/** The policies of a delegating configuration that took part in the decision. */
export interface NarrowedBy {
  configurationId: string;
  policyIds: string[];
  revision: number;
}

/** The confirmed definition of the tool when the call was requested. Approvers see it. */
export interface ConfirmedDefinition {
  title: string;
  description: string;
  inputSchema: object;
}

@ObjectType({
  description: 'An entry in the ledger: a tool call, the decision on it, and its outcome.',
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
    description: 'References from the turns of its task. Several if a model requested the same call repeatedly.',
  })
  @Column('text', { array: true })
  callRefs: string[];

  @Column('text')
  identity: string;

  @Field(() => JsonScalar, { description: 'The caller, the surface, and the chain of delegation.' })
  @Column('jsonb')
  caller: StoredPrincipal;

  @Field()
  @Column('text')
  tool: string;

  @Field(() => String, { nullable: true, description: 'read, write or destructive; null if the tool does not exist.' })
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

  /**
   * Salt (16 bytes) and canonical bytes, sealed together: deleting them also deletes the salt of the audit log's hash.
   */
  @Column('bytea', { nullable: true })
  argumentsSealed: Buffer | null;

  @Column('bytea', { nullable: true })
  argumentsHash: Buffer | null;

  /** Hash of salt and arguments for the audit log. Set only while both are in memory, and not stored in a column. */
  saltedHash?: string;

  @Field(() => JsonScalar, { nullable: true, description: 'The arguments, with text replaced by its length.' })
  @Column('jsonb', { nullable: true })
  redactedArguments: object | null;

  @Field(() => [ID], {
    description: 'The approvers who edited the arguments, in order. They are requesters of the call.',
  })
  @Column('uuid', { array: true })
  editedBy: string[];

  @Field(() => ID, {
    name: 'taskGrantId',
    nullable: true,
    description: 'The task grant that allowed the call without its own approval.',
  })
  @Column('uuid', { nullable: true })
  grantId: string | null;

  @Field(() => [String], { description: 'The policies that determined the decision.' })
  @Column('text', { array: true })
  policyIds: string[];

  @Field(() => Int, { nullable: true, description: 'The revision of these policies.' })
  @Column('int', { nullable: true })
  policyRevision: number | null;

  @Field(() => [String], { description: 'The approval steps that the decision required.' })
  @Column('text', { array: true })
  steps: string[];

  @Field(() => [JsonScalar], {
    nullable: true,
    description:
      'The policies of delegating configurations that took part in the decision: configurationId, policyIds, revision.',
  })
  @Column('jsonb', { nullable: true })
  narrowedBy: NarrowedBy[] | null;

  /** The call delegates a task: it is polled until the delegated task ends, and never declared lost. */
  @Column('boolean')
  isDelegation: boolean;

  @Column('boolean')
  tainted: boolean;

  /** The outcome may contain text of another system: it taints a task that reads it. */
  @Column('boolean')
  isForeign: boolean;

  @Field(() => callStates)
  @Column('text')
  state: CallState;

  @Field(() => String, { nullable: true, description: 'Why the call was denied or failed, as a code.' })
  @Column('text', { nullable: true })
  code: string | null;

  @Field(() => String, { nullable: true, description: 'Why the call was denied or failed, as text.' })
  @Column('text', { nullable: true })
  reason: string | null;

  @Field(() => Int, { description: 'How many times the call was sent.' })
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

  /** SHA-256 of the result as the connected system returned it, before the rules of the tool were applied. */
  @Column('bytea', { nullable: true })
  resultHash: Buffer | null;

  /** What these rules found. */
  @Column('jsonb', { nullable: true })
  resultNotice: ResultNotice | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  requestedAt: Date;

  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When the call was last sent.' })
  @Column('timestamptz', { nullable: true })
  executedAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  endedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  deliveredAt: Date | null;

  @Field({ description: 'A member with break-glass rights overrode a pending approval of the call.' })
  @Column('boolean', { default: false })
  isOverridden: boolean;

  @Field(() => ID, { nullable: true, description: 'The member who resolved the unknown outcome.' })
  @Column('uuid', { nullable: true })
  settledBy: string | null;

  @Field(() => settlements, { nullable: true })
  @Column('text', { nullable: true })
  settlement: Settlement | null;
}
