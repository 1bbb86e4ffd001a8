import { Field, Float, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';
import { DocumentKindEnum, type DocumentKind } from './document.entity.js';

@ObjectType({ description: 'What one term of the query adds to the score of a passage.' })
export class TermContribution {
  @Field({ description: 'As indexed: folded and stemmed.' })
  term: string;

  @Field(() => Float, { description: 'How much the term tells apart: the rarer, the higher.' })
  idf: number;

  @Field(() => Int, { description: 'Occurrences; in headings they count twice, in the title three times.' })
  weight: number;

  @Field(() => Float)
  score: number;
}

@ObjectType()
export class KnowledgePassage {
  @Field(() => ID)
  documentId: string;

  @Field(() => ID)
  chunkId: string;

  @Field()
  title: string;

  @Field(() => String, { nullable: true })
  url: string | null;

  @Field({ description: 'Short name of the connection.' })
  source: string;

  @Field(() => DocumentKindEnum)
  kind: DocumentKind;

  @Field()
  position: string;

  @Field()
  heading: string;

  @Field()
  snippet: string;

  @Field(() => [[Int]], { description: 'Where in the snippet the terms stand: [from, to) each, in UTF-16 code units.' })
  highlights: [number, number][];

  @Field()
  text: string;

  @Field(() => Float, { description: 'BM25.' })
  score: number;

  @Field(() => Float, { description: 'Share of the informative words of the query that the passage has, 0 to 1.' })
  coverage: number;

  @Field(() => [TermContribution], { description: 'Why it ranks where it ranks; adds up to the score.' })
  why: TermContribution[];

  @Field(() => GraphQLISODateTime, { nullable: true })
  updatedAt: Date | null;

  @Field(() => GraphQLISODateTime)
  retrievedAt: Date;
}

@ObjectType({ description: 'A word of the query that was looked up.' })
export class KnowledgeSearchTerm {
  @Field({ description: 'As indexed: folded and stemmed.' })
  term: string;

  @Field(() => Float, { description: 'How much the term tells apart: the rarer, the higher.' })
  idf: number;

  @Field(() => Int, { description: 'How many of the passages that the reader may see have it.' })
  passages: number;
}

@ObjectType()
export class KnowledgeSearch {
  @Field(() => [KnowledgePassage])
  passages: KnowledgePassage[];

  @Field(() => [KnowledgeSearchTerm], { description: 'Without stop words, unless there are no others.' })
  terms: KnowledgeSearchTerm[];

  @Field(() => Int, { description: 'Connections that were searched.' })
  sources: number;

  @Field(() => Int, { description: 'Documents in them that the reader may see.' })
  documents: number;
}
