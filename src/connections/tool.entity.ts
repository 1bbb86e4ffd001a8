import { Field, GraphQLISODateTime, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { JsonScalar } from '../platform/graphql/json.scalar.js';
import type { JsonObject as Json } from '../platform/json/strict-json.js';
import type { ResultRules } from './result-rules.js';
import { ResultRulesType } from './result-rules.object.js';

export const effects = { read: 'read', write: 'write', destructive: 'destructive' } as const;
export type Effect = keyof typeof effects;
registerEnumType(effects, {
  name: 'Effect',
  valuesMap: {
    read: { description: 'Changes nothing.' },
    write: { description: 'Changes or sends something.' },
    destructive: { description: 'Deletes or overwrites something that may not be recoverable.' },
  },
});

export const operations = {
  tool: 'tool',
  resources: 'resources',
  prompts: 'prompts',
  completions: 'completions',
  delegation: 'delegation',
} as const;
export type Operation = keyof typeof operations;
registerEnumType(operations, {
  name: 'Operation',
  valuesMap: {
    tool: { description: 'Calls a tool.' },
    resources: { description: 'Reads resources.' },
    prompts: { description: 'Gets prompts.' },
    completions: { description: 'Completes an argument while it is typed.' },
    delegation: { description: 'Delegates a task to another agent and follows it.' },
  },
});

@ObjectType({ description: 'An operation of a connected system.' })
@Entity('tools')
export class Tool {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field(() => ID)
  @Column('uuid')
  connectionId: string;

  @Column('text')
  connectionSlug: string;

  @Field({ description: 'The name in all APIs: "<connection>__<tool>".' })
  @Column('text')
  name: string;

  @Field(() => operations, {
    description: 'What a call does. Policies, pauses and the audit log treat every operation as a tool.',
  })
  @Column('text')
  operation: Operation;

  @Field({ description: 'The name in the connected system.' })
  @Column('text')
  upstreamName: string;

  @Field()
  @Column('text')
  title: string;

  @Field()
  @Column('text')
  description: string;

  @Field(() => JsonScalar, { description: 'JSON Schema of the arguments.' })
  @Column('jsonb')
  inputSchema: Json;

  @Field(() => JsonScalar, { nullable: true })
  @Column('jsonb', { nullable: true })
  outputSchema: Json | null;

  @Field(() => JsonScalar, {
    nullable: true,
    description:
      'What the system declares about the tool. An unverified claim: it can raise the effect, never lower it.',
  })
  @Column('jsonb', { nullable: true })
  annotations: Json | null;

  @Field(() => JsonScalar, { description: 'The complete definition that the system currently offers.' })
  @Column('jsonb')
  definition: Json;

  @Field(() => effects, {
    description: 'The effect that policies use. "write" until an administrator confirms "read".',
  })
  @Column('text')
  effect: Effect;

  @Field({
    description: 'SHA-256 of the canonical definition: name, title, description, schemas, annotations, server.',
  })
  @Column('text')
  definitionHash: string;

  @Field(() => String, { nullable: true, description: 'Hash of the last confirmed definition.' })
  @Column('text', { nullable: true })
  confirmedHash: string | null;

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'The last confirmed definition, for comparison with a changed one.',
  })
  @Column('jsonb', { nullable: true })
  confirmedDefinition: Json | null;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When an administrator last confirmed it. Null: no one has; its first definition counts as confirmed.',
  })
  @Column('timestamptz', { nullable: true })
  confirmedAt: Date | null;

  /** The member who confirmed it. */
  @Column('uuid', { nullable: true })
  confirmedBy: string | null;

  @Field(() => GraphQLISODateTime, { description: 'When the system last offered it.' })
  @Column('timestamptz')
  seenAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When the system stopped offering it.' })
  @Column('timestamptz', { nullable: true })
  goneAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  pausedAt: Date | null;

  @Field(() => ResultRulesType, {
    nullable: true,
    description: 'What happens to its results, instead of the rules of the connection. Null: those of the connection.',
  })
  @Column('jsonb', { nullable: true })
  resultRules: ResultRules | null;

  @Field({
    description:
      'Its definition changed since it was confirmed. Calls are blocked until an administrator confirms the new one.',
  })
  get isPendingReview(): boolean {
    return this.confirmedHash !== null && this.confirmedHash !== this.definitionHash;
  }
}
