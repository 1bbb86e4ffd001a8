import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { JsonScalar } from '../platform/graphql/json.scalar.js';

@ObjectType({
  description:
    'An audit event. It is written in the same transaction as the change that it records, and is never updated or deleted.',
})
@Entity('audit_events')
export class AuditEvent {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  at: Date;

  @Field({ description: 'What happened: a noun and a verb in the past tense, such as "member.suspended".' })
  @Column('text')
  kind: string;

  @Field(() => JsonScalar, { description: 'Who acted: kind, ids, name, surface, and the delegation chain.' })
  @Column('jsonb')
  actor: object;

  @Field(() => JsonScalar, { nullable: true, description: 'The affected object: type, id, name.' })
  @Column('jsonb', { nullable: true })
  subject: object | null;

  @Field(() => JsonScalar, {
    description: 'More data, depending on the kind of event. Contains no secrets and no argument values.',
  })
  @Column('jsonb')
  detail: object;

  @Field(() => ID, { nullable: true })
  @Column('uuid', { nullable: true })
  requestId: string | null;
}
