import { Field, GraphQLISODateTime, Int, ObjectType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import { JsonObject } from '../../platform/graphql/json.scalar.js';
import type { FileStatus } from '../parsed.js';
import type { KeptEntry } from './kept-entry.js';
import { EstateProblem } from './parts.entity.js';
import { fileStatuses } from './words.js';

@ObjectType({ description: 'What a file said from a moment on.' })
@Entity('estate_versions')
export class EstateVersion {
  @PrimaryColumn('uuid')
  tenantId: string;

  @PrimaryColumn('uuid')
  fileId: string;

  @Field(() => Int)
  @PrimaryColumn('int')
  number: number;

  @Field(() => GraphQLISODateTime, { description: 'When it was first seen so.' })
  @Column('timestamptz')
  seenAt: Date;

  @Field({ description: 'The file was not there.' })
  @Column('boolean')
  isGone: boolean;

  @Field(() => fileStatuses)
  @Column('text')
  status: FileStatus;

  @Column('text')
  digest: string;

  @Field(() => [EstateProblem])
  @Column('jsonb')
  problems: EstateProblem[];

  @Field(() => JsonObject, {
    description:
      'Its entries: name, definition with secrets replaced, definitionHash, and the secrets’ types, places and fingerprints.',
  })
  @Column('jsonb')
  entries: KeptEntry[];
}
