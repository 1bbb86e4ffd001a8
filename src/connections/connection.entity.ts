import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { JsonScalar } from '../platform/graphql/json.scalar.js';
import type { ResultRules } from './result-rules.js';
import { ResultRulesType } from './result-rules.object.js';

export const connectionStatuses = {
  unverified: 'unverified',
  connected: 'connected',
  limited: 'limited',
  failed: 'failed',
} as const;
export type ConnectionStatus = keyof typeof connectionStatuses;
registerEnumType(connectionStatuses, {
  name: 'ConnectionStatus',
  valuesMap: {
    unverified: { description: 'Saved; the first verification is in progress.' },
    connected: { description: 'The last verification passed; "statusReason" can contain a note.' },
    limited: { description: 'It works in part; "statusReason" says what is missing.' },
    failed: { description: 'It does not work; "statusReason" says what to do.' },
  },
});

@ObjectType({
  description:
    'A configured instance of a connector. Its credentials are sealed and never shown again. Called an integration in the console.',
})
@Entity('connections')
export class Connection {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field({ description: 'Id of its connector (see "connectors").' })
  @Column('text')
  kind: string;

  @Field({ description: 'Display name.' })
  @Column('text')
  name: string;

  @Field({ description: 'Prefix of its tool names: "<slug>__<tool>". Never changes.' })
  @Column('text')
  slug: string;

  @Field(() => JsonScalar, { description: 'Values of the connector’s fields, without the secret ones.' })
  @Column('jsonb')
  settings: Record<string, unknown>;

  @Field(() => Int, {
    description: 'Increases with each change of settings or credentials. Approvals are bound to it.',
  })
  @Column('int')
  revision: number;

  @Field(() => connectionStatuses)
  @Column('text')
  status: ConnectionStatus;

  @Field(() => String, { nullable: true, description: 'Result of the last verification, as text.' })
  @Column('text', { nullable: true })
  statusReason: string | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  verifiedAt: Date | null;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When it was paused. Nothing can be executed through a paused connection.',
  })
  @Column('timestamptz', { nullable: true })
  pausedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  removedAt: Date | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When its name, settings or credentials were last changed. Null: never since it was created.',
  })
  @Column('timestamptz', { nullable: true })
  changedAt: Date | null;

  /** The member who changed it. */
  @Column('uuid', { nullable: true })
  changedBy: string | null;

  @Field(() => ResultRulesType, {
    nullable: true,
    description: 'What happens to the results of its tools. Null: they are passed on unchanged.',
  })
  @Column('jsonb', { nullable: true })
  resultRules: ResultRules | null;
}
