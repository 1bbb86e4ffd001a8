import { Field, GraphQLISODateTime, Int, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { JsonScalar } from '../../platform/graphql/json.scalar.js';
import type { FileStatus } from '../configuration-file.js';
import type { VersionEntry } from '../version-entry.js';
import { EstateProblem } from '../parts.entity.js';
import { FileStatusEnum } from '../enums.js';

@ObjectType({ description: 'A version of a file.' })
@Entity('estate_versions')
export class EstateVersion {
  @PrimaryColumn('uuid')
  tenantId: string;

  @PrimaryColumn('uuid')
  fileId: string;

  @Field(() => Int)
  @PrimaryColumn('int')
  number: number;

  @Field(() => GraphQLISODateTime, { description: 'When this version was first seen.' })
  @Column('timestamptz')
  seenAt: Date;

  @Field({ description: 'True if the file was gone.' })
  @Column('boolean')
  isGone: boolean;

  @Field(() => FileStatusEnum)
  @Column('text')
  status: FileStatus;

  @Column('text')
  digest: string;

  @Field(() => [EstateProblem])
  @Column('jsonb')
  problems: EstateProblem[];

  @Field(() => JsonScalar, {
    description:
      'Its entries: name, definition with secrets replaced, definitionHash, and the secrets’ types, places and fingerprints.',
  })
  @Column('jsonb')
  entries: VersionEntry[];
}
