import { Field, Float, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export const auditStreamKinds = { otlp: 'otlp', syslog: 'syslog', webhook: 'webhook' } as const;
export type AuditStreamKind = keyof typeof auditStreamKinds;
registerEnumType(auditStreamKinds, {
  name: 'AuditStreamKind',
  valuesMap: {
    otlp: { description: 'OpenTelemetry logs (OTLP over HTTP, JSON).' },
    syslog: { description: 'Syslog (RFC 5424) over TLS (RFC 5425).' },
    webhook: { description: 'JSON Lines, signed according to Standard Webhooks.' },
  },
});

/** The driver returns a bigint as text. */
const bigint = { transformer: { from: Number, to: (value: number) => value } };
const optionalBigint = {
  transformer: {
    from: (text: string | null) => (text === null ? null : Number(text)),
    to: (value: number | null) => value,
  },
};

@ObjectType({
  description:
    'Sends the audit log to another system, in its sealed order. Events arrive in order and at least once. Events that retention removes first are counted as skipped.',
})
@Entity('audit_streams')
export class AuditStream {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field()
  @Column('text')
  name: string;

  @Field(() => auditStreamKinds)
  @Column('text')
  kind: AuditStreamKind;

  @Field({ description: 'The host. The complete address is not shown again.' })
  @Column('text')
  target: string;

  @Column('bytea')
  sealedSettings: Buffer;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  createdAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  pausedAt: Date | null;

  @Field(() => Float, { description: 'The position of the next event. All before it were accepted or skipped.' })
  @Column('bigint', bigint)
  position: number;

  @Column('bigint', bigint)
  headSize: number;

  @Field(() => Float, { description: 'The number of events that were accepted.' })
  @Column('bigint', bigint)
  sentCount: number;

  @Field(() => Float, { description: 'The number of events that retention removed before they could be sent.' })
  @Column('bigint', bigint)
  skippedCount: number;

  @Field(() => Float, { description: 'The number of records that the receiver rejected and a person skipped.' })
  @Column('bigint', bigint)
  rejectedCount: number;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'The receiver rejected a single record. The stream waits until a person skips it or tries again.',
  })
  @Column('timestamptz', { nullable: true })
  stoppedAt: Date | null;

  /** The event or the head at which the stream has stopped. */
  @Column('bigint', { nullable: true, ...optionalBigint })
  rejectedPosition: number | null;

  @Column('bigint', { nullable: true, ...optionalBigint })
  rejectedHeadSize: number | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  lastSentAt: Date | null;

  @Field(() => Int, { description: 'The number of failed attempts since the last accepted one.' })
  @Column('int')
  attempts: number;

  @Field(() => String, { nullable: true, description: 'Why the last attempt failed. Null: it was accepted.' })
  @Column('text', { nullable: true })
  lastError: string | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  lastErrorAt: Date | null;

  @Field(() => GraphQLISODateTime, { description: 'The earliest time of the next attempt.' })
  @Column('timestamptz')
  nextAttemptAt: Date;

  /** Nothing was accepted since this failed attempt. */
  @Column('timestamptz', { nullable: true })
  failingSince: Date | null;

  /** Administrators were notified of this outage. Null: there is none, or it is short. */
  @Column('timestamptz', { nullable: true })
  outageNotifiedAt: Date | null;

  @Column('uuid', { nullable: true })
  leaseToken: string | null;

  @Column('timestamptz', { nullable: true })
  leaseUntil: Date | null;
}
