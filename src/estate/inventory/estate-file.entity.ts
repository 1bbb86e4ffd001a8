import { Field, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ConfigurationFile, FileKind, FileScope, FileStatus } from '../configuration-file.js';
import { EstateOwner } from '../owner-visibility.js';
import { EstateOddity, EstateProblem } from '../parts.entity.js';
import { FileScopeEnum, FileStatusEnum, ResourceKindEnum } from '../enums.js';

@ObjectType({ description: 'A configuration file of an AI client on one device or in one repository.' })
@Entity('estate_files')
export class EstateFile implements ConfigurationFile {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field(() => ID)
  @Column('uuid')
  sourceId: string;

  @Field(() => ID, { nullable: true, description: 'The integration whose inventory lists it.' })
  @Column('uuid', { nullable: true })
  connectionId: string | null;

  @Field({ description: 'The client that uses the file: "cursor".' })
  @Column('text')
  client: string;

  @Field(() => ResourceKindEnum)
  @Column('text')
  kind: FileKind;

  @Field(() => FileScopeEnum)
  @Column('text')
  scope: FileScope;

  @Field({
    description:
      'The path on the device or in the folder, with "/" between names. Home folders of people you are not allowed to see are masked.',
  })
  @Column('text')
  path: string;

  @Field(() => EstateOwner, { nullable: true, description: 'The owner, if you are allowed to see them.' })
  owner: EstateOwner | null;

  /** Normalized. The person is resolved on read. */
  @Column('text', { nullable: true })
  ownerEmail: string | null;

  @Field(() => FileStatusEnum)
  @Column('text')
  status: FileStatus;

  @Field({
    description:
      'A keyed hash of its content, with a key of the organization. Equal for equal content, and reveals nothing about it.',
  })
  @Column('text')
  digest: string;

  /** The parser version that read it. */
  @Column('int')
  parser: number;

  @Field(() => Int, { description: 'In bytes.' })
  @Column('int')
  size: number;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'The modification time reported by its device.' })
  @Column('timestamptz', { nullable: true })
  modifiedAt: Date | null;

  @Field(() => [EstateProblem])
  @Column('jsonb')
  problems: EstateProblem[];

  @Field(() => [EstateOddity])
  @Column('jsonb')
  oddities: EstateOddity[];

  @Field(() => Int, { description: 'The number of servers that it declares.' })
  @Column('int')
  entryCount: number;

  @Field(() => Int, { description: 'The version number, starting at 1.' })
  @Column('int')
  version: number;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  firstSeen: Date;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  lastSeen: Date;

  @Field(() => GraphQLISODateTime, { description: 'When it last changed.' })
  @Column('timestamptz')
  changedAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'When it disappeared.' })
  @Column('timestamptz', { nullable: true })
  goneAt: Date | null;
}
