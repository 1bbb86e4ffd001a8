import { Field, GraphQLISODateTime, ID, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { JsonScalar } from '../platform/graphql/json.scalar.js';
import type { JsonObject as Json } from '../platform/json/strict-json.js';

export const effects = { read: 'read', write: 'write', destructive: 'destructive' } as const;
export type Effect = keyof typeof effects;
registerEnumType(effects, {
  name: 'Effect',
  valuesMap: {
    read: { description: 'Changes nothing.' },
    write: { description: 'Changes or sends something.' },
    destructive: { description: 'Removes or overwrites something that may not come back.' },
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
    delegation: { description: 'Hands a task to another agent, and looks what becomes of it.' },
  },
});

@ObjectType({ description: 'One operation of a connected system.' })
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

  @Field({ description: 'The name on every surface: "<connection>__<tool>".' })
  @Column('text')
  name: string;

  @Field(() => operations, {
    description: 'What is done by it. Policies, pauses and the audit log take all of them for tools.',
  })
  @Column('text')
  operation: Operation;

  @Field({ description: 'The name that the connected system gave it.' })
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
    description: 'What the system says about the tool. A claim: it may raise the effect, never lower it.',
  })
  @Column('jsonb', { nullable: true })
  annotations: Json | null;

  @Field(() => JsonScalar, { description: 'All of the definition, as the system offers it now.' })
  @Column('jsonb')
  definition: Json;

  @Field(() => effects, { description: 'What the policies go by. "write" until somebody confirms "read".' })
  @Column('text')
  effect: Effect;

  @Field({
    description: 'SHA-256 of the canonical definition: name, title, description, schemas, annotations, server.',
  })
  @Column('text')
  definitionHash: string;

  @Field(() => String, { nullable: true, description: 'The definition that was confirmed last.' })
  @Column('text', { nullable: true })
  confirmedHash: string | null;

  @Field(() => JsonScalar, {
    nullable: true,
    description: 'The definition as it was confirmed last, to compare a changed one with.',
  })
  @Column('jsonb', { nullable: true })
  confirmedDefinition: Json | null;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description:
      'When an administrator last said what it does. Null: nobody has; its first definition counts as known.',
  })
  @Column('timestamptz', { nullable: true })
  confirmedAt: Date | null;

  /** The member who did. */
  @Column('uuid', { nullable: true })
  confirmedBy: string | null;

  @Field(() => GraphQLISODateTime, { description: 'When the system last offered it.' })
  @Column('timestamptz')
  seenAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Since when the system does not offer it any more.' })
  @Column('timestamptz', { nullable: true })
  goneAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  pausedAt: Date | null;

  @Field({
    description: 'Its definition changed since it was confirmed: it is not called until somebody confirms the new one.',
  })
  get heldBack(): boolean {
    return this.confirmedHash !== null && this.confirmedHash !== this.definitionHash;
  }
}
