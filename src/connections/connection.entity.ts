import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { JsonScalar } from '../platform/graphql/json.scalar.js';

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
    unverified: { description: 'Saved, and being verified for the first time.' },
    connected: { description: 'The last verification found everything in order.' },
    limited: { description: 'It works, but not all of it; "statusReason" says what is missing.' },
    failed: { description: 'It cannot be used; "statusReason" says what to do about it.' },
  },
});

@ObjectType({
  description:
    'A link to another system. Its credentials are sealed and never shown again; the console calls it an integration.',
})
@Entity('connections')
export class Connection {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field({ description: 'Which kind of the catalogue ("connectors").' })
  @Column('text')
  kind: string;

  @Field({ description: 'For people.' })
  @Column('text')
  name: string;

  @Field({ description: 'What the names of its tools begin with: "<slug>__<tool>". Never changes.' })
  @Column('text')
  slug: string;

  @Field(() => JsonScalar, { description: 'Values of the fields of its kind, without the secret ones.' })
  @Column('jsonb')
  settings: Record<string, unknown>;

  @Field(() => Int, { description: 'Counts changes of settings and credentials. Approvals are bound to it.' })
  @Column('int')
  revision: number;

  @Field(() => connectionStatuses)
  @Column('text')
  status: ConnectionStatus;

  @Field(() => String, { nullable: true, description: 'What was found at the last verification, in words.' })
  @Column('text', { nullable: true })
  statusReason: string | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  verifiedAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Since when nothing may be done through it.' })
  @Column('timestamptz', { nullable: true })
  pausedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  removedAt: Date | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When its name, settings or credentials were last saved anew. Null: never since it was created.',
  })
  @Column('timestamptz', { nullable: true })
  changedAt: Date | null;

  /** The member who did. */
  @Column('uuid', { nullable: true })
  changedBy: string | null;
}
