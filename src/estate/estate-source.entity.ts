import { Field, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { EstateOwner } from './owner-visibility.js';
import { EstateProblem } from './parts.entity.js';
import { type SourceKind, SourceKindEnum } from './enums.js';

@ObjectType({
  description: 'A source of AI configurations: a device that uploads, or a connected folder.',
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

  /** The normalized name of a device; the connection's id for a folder. */
  @Column('text')
  key: string;

  @Field({ description: 'The self-declared name of the device, or the name of the integration.' })
  @Column('text')
  name: string;

  @Field(() => ID, {
    nullable: true,
    description: 'The tenant key of the first upload. While this key is valid, no other key can replace the inventory.',
  })
  @Column('uuid', { nullable: true })
  keyId: string | null;

  @Field({ description: 'True if the device authenticates with its own secret.' })
  hasDeviceSecret: boolean;

  @Field(() => ID, { nullable: true, description: 'The integration of a folder.' })
  @Column('uuid', { nullable: true })
  connectionId: string | null;

  @Column('int', { nullable: true })
  connectionRevision: number | null;

  @Field(() => String, { nullable: true, description: 'The platform reported by the device.' })
  @Column('text', { nullable: true })
  platform: string | null;

  @Field(() => EstateOwner, { nullable: true, description: 'The owner, if you are allowed to see them.' })
  owner: EstateOwner | null;

  @Field(() => Int, { description: 'The number of current files.' })
  fileCount: number;

  @Column('text', { nullable: true })
  ownerEmail: string | null;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  firstSeen: Date;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'The last upload or scan.' })
  @Column('timestamptz', { nullable: true })
  lastSeen: Date | null;

  @Field(() => GraphQLISODateTime, {
    nullable: true,
    description: 'The last complete upload or scan. Files missing from it are marked as gone.',
  })
  @Column('timestamptz', { nullable: true })
  completeAt: Date | null;

  /** The collection time reported by the device. Older uploads are ignored. */
  @Column('timestamptz', { nullable: true })
  collectedAt: Date | null;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'The next scan of a folder.' })
  @Column('timestamptz', { nullable: true })
  nextAt: Date | null;

  @Column('timestamptz', { nullable: true })
  runningUntil: Date | null;

  @Column('uuid', { nullable: true })
  runId: string | null;

  @Field(() => String, { nullable: true, description: 'Why the last scan of a folder failed.' })
  @Column('text', { nullable: true })
  failure: string | null;

  @Column('int')
  failures: number;

  @Field(() => [EstateProblem], { description: 'The first 100 places that could not be read.' })
  @Column('jsonb')
  problems: EstateProblem[];

  @Field(() => Int)
  @Column('int')
  problemCount: number;
}
