import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export const SourceStateEnum = {
  pushed: 'pushed',
  waiting: 'waiting',
  running: 'running',
  complete: 'complete',
  failed: 'failed',
} as const;
export type SourceState = keyof typeof SourceStateEnum;
registerEnumType(SourceStateEnum, {
  name: 'SourceState',
  valuesMap: {
    pushed: { description: 'Not read by us: its owner pushes documents.' },
    waiting: { description: 'Not read yet.' },
    running: { description: 'Being read at the moment.' },
    complete: { description: 'Read to the end; "problems" names what could not be taken in.' },
    failed: {
      description: 'The last reading broke off; what was known before is still found. It is tried again at "nextAt".',
    },
  },
});

@ObjectType({ description: 'One document or folder that could not be taken in, and why.' })
export class SourceProblem {
  @Field()
  externalId: string;

  @Field()
  reason: string;
}

@ObjectType({ description: 'A connection seen as a source of knowledge: how far its documents have been read.' })
@Entity('sources')
export class Source {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  connectionId: string;

  /** The settings that were last read by; others are reason to read again. */
  @Column('int', { nullable: true })
  connectionRevision: number | null;

  @Column('uuid', { nullable: true })
  runId: string | null;

  @Column('timestamptz', { nullable: true })
  runningUntil: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  startedAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true })
  @Column('timestamptz', { nullable: true })
  finishedAt: Date | null;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'The last time that everything was read to the end.',
  })
  @Column('timestamptz', { nullable: true })
  completeAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When it is read again.' })
  @Column('timestamptz', { nullable: true })
  nextAt: Date | null;

  @Field(() => String, { nullable: true, description: 'Why the last reading broke off.' })
  @Column('text', { nullable: true })
  failure: string | null;

  @Column('int')
  failures: number;

  @Field(() => Int, { description: 'Documents met by this or the last reading.' })
  @Column('int')
  seen: number;

  @Field(() => Int, { description: 'Of these: new or changed.' })
  @Column('int')
  changed: number;

  @Field(() => Int, { description: 'Documents that were gone.' })
  @Column('int')
  removed: number;

  @Field(() => Int)
  @Column('int')
  problemCount: number;

  @Field(() => [SourceProblem], { description: 'The first hundred.' })
  @Column('jsonb')
  problems: SourceProblem[];

  @Field(() => SourceStateEnum)
  get state(): SourceState {
    if (this.runningUntil && this.runningUntil > new Date()) return 'running';
    if (!this.nextAt) return 'pushed';
    if (this.failure) return 'failed';
    return this.completeAt ? 'complete' : 'waiting';
  }
}
