import { Field, GraphQLISODateTime, ID, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { JsonScalar } from '../platform/graphql/json.scalar.js';

@ObjectType({
  description:
    'Something that happened, recorded in the transaction that made it happen. Never changed, never removed.',
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

  @Field({ description: 'What happened: a noun and a past verb, such as "member.suspended".' })
  @Column('text')
  kind: string;

  @Field(() => JsonScalar, { description: 'Who acted: kind, ids, name, surface, and the chain of those in between.' })
  @Column('jsonb')
  actor: object;

  @Field(() => JsonScalar, { nullable: true, description: 'What it happened to: type, id, name.' })
  @Column('jsonb', { nullable: true })
  subject: object | null;

  @Field(() => JsonScalar, {
    description: 'Further facts of this kind of event. Never a secret, never an argument in the clear.',
  })
  @Column('jsonb')
  detail: object;

  @Field(() => ID, { nullable: true })
  @Column('uuid', { nullable: true })
  requestId: string | null;
}
