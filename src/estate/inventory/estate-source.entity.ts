import { Field, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { EstateOwner } from './owner-visibility.js';
import { EstateProblem } from './parts.entity.js';
import { type SourceKind, SourceKindEnum } from './enums.js';

@ObjectType({
  description: 'Where configurations of AI tools are found: a device that uploads, or a connected folder.',
})
@Entity('estate_sources')
export class EstateSource {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field(() => SourceKindEnum)
  @Column('text')
  kind: SourceKind;

  /** One spelling per device; the connection's id for a folder. */
  @Column('text')
  key: string;

  @Field({ description: 'The name of the device as it tells it, or of the connection.' })
  @Column('text')
  name: string;

  @Field(() => ID, {
    nullable: true,
    description:
      'The tenant key that uploaded the device first. While it works, no other key can replace the inventory.',
  })
  @Column('uuid', { nullable: true })
  keyId: string | null;

  @Field({ description: 'The device proves itself with a secret of its own.' })
  hasDeviceSecret: boolean;

  @Field(() => ID, { nullable: true, description: 'Of a folder.' })
  @Column('uuid', { nullable: true })
  connectionId: string | null;

  @Column('int', { nullable: true })
  connectionRevision: number | null;

  @Field(() => String, { nullable: true, description: 'What the device says it runs on.' })
  @Column('text', { nullable: true })
  platform: string | null;

  @Field(() => EstateOwner, { nullable: true, description: 'Of those whom you may see.' })
  owner: EstateOwner | null;

  @Field(() => Int, { description: 'Files that are there now.' })
  fileCount: number;

  @Column('text', { nullable: true })
  ownerEmail: string | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  firstSeen: Date;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Last upload or reading.' })
  @Column('timestamptz', { nullable: true })
  lastSeen: Date | null;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'Last time that everything was told; what was missing then is gone.',
  })
  @Column('timestamptz', { nullable: true })
  completeAt: Date | null;

  /** When the device looked, as it says; what is older than that is not taken in any more. */
  @Column('timestamptz', { nullable: true })
  collectedAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When a folder is read again.' })
  @Column('timestamptz', { nullable: true })
  nextAt: Date | null;

  @Column('timestamptz', { nullable: true })
  runningUntil: Date | null;

  @Column('uuid', { nullable: true })
  runId: string | null;

  @Field(() => String, { nullable: true, description: 'Why the last reading of a folder broke off.' })
  @Column('text', { nullable: true })
  failure: string | null;

  @Column('int')
  failures: number;

  @Field(() => [EstateProblem], { description: 'Places that could not be looked into; the first hundred.' })
  @Column('jsonb')
  problems: EstateProblem[];

  @Field(() => Int)
  @Column('int')
  problemCount: number;
}
