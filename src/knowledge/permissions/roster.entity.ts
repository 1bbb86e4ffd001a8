import { Field, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { SourceProblem } from '../source.entity.js';

/** An older roster grants no access, because people may have lost access since. */
export const maxRosterAgeHours = 24;

@ObjectType({ description: 'The accounts, groups and audiences of a source, as last read from it.' })
@Entity('source_rosters')
export class SourceRoster {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  connectionId: string;

  @Column('timestamptz', { nullable: true })
  runningUntil: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When the source was last read completely.' })
  @Column('timestamptz', { nullable: true })
  completeAt: Date | null;

  @Field(() => GraphQLISODateTime, { description: 'When the next read is due.' })
  @Column('timestamptz')
  nextAt: Date;

  @Field(() => String, { nullable: true, description: 'Why the last read failed.' })
  @Column('text', { nullable: true })
  failure: string | null;

  @Field(() => String, { nullable: true, description: 'Why the source asked to wait until "nextAt".' })
  @Column('text', { nullable: true })
  waitReason: string | null;

  @Field(() => Int)
  @Column('int')
  accountCount: number;

  @Field(() => Int)
  @Column('int')
  groupCount: number;

  @Field(() => Int)
  @Column('int')
  audienceCount: number;

  @Field(() => [SourceProblem], { description: 'At most 100.' })
  @Column('jsonb')
  problems: SourceProblem[];

  @Field(() => Boolean, {
    description: `The roster was never read, or is older than ${maxRosterAgeHours} hours. Documents with an audience cannot be found.`,
  })
  get isExpired(): boolean {
    return !this.completeAt || Date.now() - this.completeAt.getTime() > maxRosterAgeHours * 3_600_000;
  }

  @Field(() => Boolean)
  get isRunning(): boolean {
    return this.runningUntil !== null && this.runningUntil > new Date();
  }
}
