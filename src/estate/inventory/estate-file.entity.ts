import { Field, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { ConfigurationFile, FileKind, FileScope, FileStatus } from '../configuration-file.js';
import { EstateOwner } from './owner-visibility.js';
import { EstateOddity, EstateProblem } from './parts.entity.js';
import { FileKindEnum, FileScopeEnum, FileStatusEnum } from './enums.js';

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

  @Field(() => ID, { nullable: true, description: 'The integration in whose inventory it stands.' })
  @Column('uuid', { nullable: true })
  connectionId: string | null;

  @Field({ description: 'Whose file it is: "cursor".' })
  @Column('text')
  client: string;

  @Field(() => FileKindEnum)
  @Column('text')
  kind: FileKind;

  @Field(() => FileScopeEnum)
  @Column('text')
  scope: FileScope;

  @Field({
    description:
      'As the device or the folder has it, with "/" between names; the folders of people whom you may not see are without their names.',
  })
  @Column('text')
  path: string;

  @Field(() => EstateOwner, { nullable: true, description: 'Of those whom you may see.' })
  owner: EstateOwner | null;

  /** Normalized; whose it is, is looked up when it is asked for. */
  @Column('text', { nullable: true })
  ownerEmail: string | null;

  @Field(() => FileStatusEnum)
  @Column('text')
  status: FileStatus;

  @Field({
    description:
      'Of its bytes, under a key of the organization: the same for the same content, and says nothing about it.',
  })
  @Column('text')
  digest: string;

  /** By which version of the parser it was read. */
  @Column('int')
  parser: number;

  @Field(() => Int, { description: 'In bytes.' })
  @Column('int')
  size: number;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'As its device says.' })
  @Column('timestamptz', { nullable: true })
  modifiedAt: Date | null;

  @Field(() => [EstateProblem])
  @Column('jsonb')
  problems: EstateProblem[];

  @Field(() => [EstateOddity])
  @Column('jsonb')
  oddities: EstateOddity[];

  @Field(() => Int, { description: 'How many servers it declares.' })
  @Column('int')
  entryCount: number;

  @Field(() => Int, { description: 'Counts its versions.' })
  @Column('int')
  version: number;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  firstSeen: Date;

  @Field(() => GraphQLISODateTime)
  @Column('timestamptz')
  lastSeen: Date;

  @Field(() => GraphQLISODateTime, { description: 'Since when it is as it is.' })
  @Column('timestamptz')
  changedAt: Date;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Since when it is not there any more.' })
  @Column('timestamptz', { nullable: true })
  goneAt: Date | null;
}
