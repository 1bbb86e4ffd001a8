import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export const SourceStateEnum = {
  pushed: 'pushed',
  waiting: 'waiting',
  running: 'running',
  complete: 'complete',
  failed: 'failed',
  limited: 'limited',
} as const;
export type SourceState = keyof typeof SourceStateEnum;
registerEnumType(SourceStateEnum, {
  name: 'SourceState',
  valuesMap: {
    pushed: { description: 'Never synced: programs push its documents.' },
    waiting: { description: 'Not synced yet.' },
    running: { description: 'A sync is in progress.' },
    limited: { description: 'The source asked to wait. The sync continues at "nextAt".' },
    complete: { description: 'The last sync succeeded; "problems" lists the documents that could not be read.' },
    failed: {
      description: 'The last sync failed. Earlier documents can still be found. The next attempt is at "nextAt".',
    },
  },
});

/** `listing`: all documents; missing ones are removed. `changes`: documents that changed since a cursor. */
export type PassKind = 'listing' | 'changes';

@ObjectType({ description: 'A document or folder that could not be read, with the reason.' })
export class SourceProblem {
  @Field()
  externalId: string;

  @Field()
  reason: string;
}

/** The rate is unknown before. */
const minEstimateMs = 10_000;
const minEstimateDocuments = 20;

@ObjectType('SourceQuota', { description: 'The rate limit of a source, as last reported by it.' })
export class SourceQuotaView {
  @Field(() => Int)
  limit: number;

  @Field(() => Int)
  remaining: number;

  @Field(() => GraphQLISODateTime)
  resetAt: Date;
}

const quotaOf = (stored: SourceQuotaView | null): SourceQuotaView | null =>
  stored && { ...stored, resetAt: new Date(stored.resetAt) };

@ObjectType({ description: 'The sync state of a connection that provides documents.' })
@Entity('sources')
export class Source {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  connectionId: string;

  /** The revision of the settings of the last sync. A different revision makes a sync due. */
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
    description: 'When a sync last completed.',
  })
  @Column('timestamptz', { nullable: true })
  completeAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When the next sync is due.' })
  @Column('timestamptz', { nullable: true })
  nextAt: Date | null;

  @Field(() => String, { nullable: true, description: 'Why the last sync failed.' })
  @Column('text', { nullable: true })
  failure: string | null;

  @Column('int')
  failures: number;

  @Field(() => Int, { description: 'Documents seen by the current or last sync.' })
  @Column('int')
  seen: number;

  @Field(() => Int, { description: 'New or changed documents among these.' })
  @Column('int')
  changed: number;

  @Field(() => Int, { description: 'Documents that no longer existed.' })
  @Column('int')
  removed: number;

  @Field(() => Int)
  @Column('int')
  problemCount: number;

  @Field(() => [SourceProblem], { description: 'The first 100 problems.' })
  @Column('jsonb')
  problems: SourceProblem[];

  /** When a listing last completed. */
  @Column('timestamptz', { nullable: true })
  listedAt: Date | null;

  @Column('text', { nullable: true })
  passKind: PassKind | null;

  /** Documents seen by earlier runs of the pass that the current run continues. */
  @Column('int')
  seenBefore: number;

  @Field(() => Int, { nullable: true, description: 'The number of documents in the source, as reported by it.' })
  @Column('int', { nullable: true })
  expected: number | null;

  @Field(() => SourceQuotaView, { nullable: true, description: 'The rate limit of the source.' })
  @Column('jsonb', { nullable: true, transformer: { to: (quota: unknown) => quota, from: quotaOf } })
  quota: SourceQuotaView | null;

  @Field(() => String, { nullable: true, description: 'Why the source asked to wait until "nextAt".' })
  @Column('text', { nullable: true })
  waitReason: string | null;

  @Field(() => Boolean, {
    description: 'The first sync starts when the setting "containers" is saved, or with "syncKnowledgeSource".',
  })
  @Column('boolean')
  isHeld: boolean;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'When the source sent a token for its webhooks, which "revealWebhookToken" shows.',
  })
  @Column('timestamptz', { nullable: true })
  webhookTokenAt: Date | null;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'The estimated end of the sync in progress, from its rate so far. Null: unknown.',
  })
  get estimatedEndAt(): Date | null {
    const { expected, seen, seenBefore, startedAt } = this;
    if (this.state !== 'running' || this.isIncremental || !expected || !startedAt || seen >= expected) return null;
    const milliseconds = Date.now() - startedAt.getTime();
    const seenNow = seen - seenBefore;
    if (milliseconds < minEstimateMs || seenNow < minEstimateDocuments) return null;
    return new Date(Date.now() + ((expected - seen) * milliseconds) / seenNow);
  }

  @Field(() => Boolean, {
    description: 'The current or last sync reads only documents that changed since the previous sync.',
  })
  get isIncremental(): boolean {
    return this.passKind === 'changes';
  }

  @Field(() => SourceStateEnum)
  get state(): SourceState {
    if (this.runningUntil && this.runningUntil > new Date()) return 'running';
    if (!this.nextAt) return 'pushed';
    if (this.failure) return 'failed';
    if (this.waitReason) return 'limited';
    return this.completeAt ? 'complete' : 'waiting';
  }
}
