import { Field, Float, GraphQLISODateTime, ID, Int, ObjectType } from '@nestjs/graphql';
import { DocumentKindEnum, type DocumentKind } from './document.entity.js';

@ObjectType({ description: 'The contribution of a query term to the score of a passage.' })
export class TermContribution {
  @Field({ description: 'The indexed form: folded and stemmed.' })
  term: string;

  @Field(() => Float, { description: 'Inverse document frequency: higher for rarer terms.' })
  idf: number;

  @Field(() => Int, { description: 'Weighted occurrences: in headings they count twice, in the title three times.' })
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

  @Field({ description: 'Slug of the connection.' })
  source: string;

  @Field(() => DocumentKindEnum)
  kind: DocumentKind;

  @Field()
  position: string;

  @Field()
  heading: string;

  @Field()
  snippet: string;

  @Field(() => [[Int]], { description: 'Ranges of the terms in the snippet: [from, to), in UTF-16 code units.' })
  highlights: [number, number][];

  @Field()
  text: string;

  @Field(() => Float, { description: 'The BM25 score.' })
  score: number;

  @Field(() => Float, { description: 'Share of the informative query words that the passage contains, 0 to 1.' })
  coverage: number;

  @Field(() => [TermContribution], { description: 'The contributions of the terms, which add up to the score.' })
  why: TermContribution[];

  @Field(() => GraphQLISODateTime, { nullable: true })
  updatedAt: Date | null;

  @Field(() => GraphQLISODateTime)
  retrievedAt: Date;
}

@ObjectType({ description: 'A query term that was searched.' })
export class KnowledgeSearchTerm {
  @Field({ description: 'The indexed form: folded and stemmed.' })
  term: string;

  @Field(() => Float, { description: 'Inverse document frequency: higher for rarer terms.' })
  idf: number;

  @Field(() => Int, { description: 'Number of readable passages that contain it.' })
  passages: number;
}

@ObjectType()
export class KnowledgeSearch {
  @Field(() => [KnowledgePassage])
  passages: KnowledgePassage[];

  @Field(() => [KnowledgeSearchTerm], { description: 'Stop words are omitted unless the query has no other words.' })
  terms: KnowledgeSearchTerm[];

  @Field(() => Int, { description: 'Number of searched connections.' })
  sources: number;

  @Field(() => Int, { description: 'Number of searched documents that the reader may see.' })
  documents: number;
}
