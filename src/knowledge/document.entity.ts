import { Field, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import { Column, Entity, PrimaryColumn } from 'typeorm';

export const documentKinds = ['code', 'ticket', 'doc', 'message'] as const;
export type DocumentKind = (typeof documentKinds)[number];

export const DocumentKindEnum = { code: 'code', ticket: 'ticket', doc: 'doc', message: 'message' } as const;
registerEnumType(DocumentKindEnum, { name: 'DocumentKind' });

@ObjectType({ description: 'Something the organization knows: a page, a file, a ticket, a message.' })
@Entity('documents')
export class KnowledgeDocument {
  @PrimaryColumn('uuid')
  tenantId: string;

  @Field(() => ID)
  @PrimaryColumn('uuid')
  id: string;

  @Field(() => ID, { description: 'The connection it came from.' })
  @Column('uuid')
  connectionId: string;

  @Field({ description: 'What its source calls it: a path, a ticket number, an address.' })
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

  @Field(() => String, { nullable: true, description: 'Where a person can read it.' })
  @Column('text', { nullable: true })
  url: string | null;

  @Field()
  @Column('text')
  mediaType: string;

  @Column('uuid')
  shelfId: string;

  @Column('text')
  fingerprint: string;

  @Field(() => Int, { description: 'Passages that can be found.' })
  @Column('int')
  chunkCount: number;

  @Column('int')
  termCount: number;

  @Field(() => GraphQLISODateTime, { nullable: true, description: 'Last change, as the source tells it.' })
  @Column('timestamptz', { nullable: true })
  updatedAt: Date | null;

  @Field(() => GraphQLISODateTime, { description: 'When this text was taken over.' })
  @Column('timestamptz')
  indexedAt: Date;
}
