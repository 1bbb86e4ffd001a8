import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export const documentKinds = ['code', 'ticket', 'doc', 'message'] as const;
export type DocumentKind = (typeof documentKinds)[number];

export const DocumentKindEnum = { code: 'code', ticket: 'ticket', doc: 'doc', message: 'message' } as const;
registerEnumType(DocumentKindEnum, { name: 'DocumentKind' });

@ObjectType({ description: 'A document of the organization: a page, a file, a ticket or a message.' })
@Entity('documents')
export class KnowledgeDocument {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field(() => ID, { description: 'The connection that provides it.' })
  @Column('uuid')
  connectionId: string;

  @Field({ description: 'Its name in the source: a path, a ticket number or a URL.' })
  @Column('text')
  externalId: string;

  @Field(() => DocumentKindEnum)
  @Column('text')
  kind: DocumentKind;

  @Field()
  @Column('text')
  title: string;

  @Field(() => String, { nullable: true })
  @Column('text', { nullable: true })
  author: string | null;

  @Field(() => String, { nullable: true, description: 'The page of the document for people.' })
  @Column('text', { nullable: true })
  url: string | null;

  @Field(() => String, { nullable: true, description: 'The repository, project, space or channel.' })
  @Column('text', { nullable: true })
  container: string | null;

  @Field(() => String, { nullable: true, description: 'Its position in a larger document: a path, a page.' })
  @Column('text', { nullable: true })
  position: string | null;

  @Field({
    description: 'The language of the word forms in the index: "en", "de" … English if the language is unknown.',
  })
  @Column('text')
  language: string;

  @Field()
  @Column('text')
  mediaType: string;

  @Column('uuid')
  partitionId: string;

  @Column('text')
  fingerprint: string;

  /** The version of the code that created its terms. */
  @Column('smallint')
  indexVersion: number;

  /** The embedding space in which all its passages have vectors. Null: none. */
  @Column('uuid', { nullable: true })
  embeddedSpaceId: string | null;

  @Field(() => Int, { description: 'Number of searchable passages.' })
  @Column('int')
  chunkCount: number;

  @Column('int')
  termCount: number;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'The last change according to the source.' })
  @Column('timestamptz', { nullable: true })
  updatedAt: Date | null;

  @Field(() => GraphQLISODateTime, { description: 'When this version was indexed.' })
  @Column('timestamptz')
  indexedAt: Date;
}
