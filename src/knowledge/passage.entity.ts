import { Field, Float, GraphQLISODateTime, ID, Int, ObjectType, registerEnumType } from '@nestjs/graphql';
import type { MeaningSearch } from './search-result.js';
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

/** Where a passage is. */
@ObjectType({ isAbstract: true })
abstract class PassageReference {
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

  @Field(() => String, { nullable: true, description: 'The repository, project, space or channel.' })
  container: string | null;

  @Field({ description: 'The path in a larger document, and the lines or page.' })
  position: string;
}

@ObjectType({ description: 'A passage with almost the same text as a passage that ranks higher.' })
export class DuplicateKnowledgePassage extends PassageReference {}

export const MeaningSearchEnum = { off: 'off', used: 'used', unavailable: 'unavailable' } as const;
registerEnumType(MeaningSearchEnum, {
  name: 'MeaningSearch',
  valuesMap: {
    off: { description: 'No embedding model is connected.' },
    used: { description: 'Passages were searched by words and by meaning.' },
    unavailable: { description: 'The embedding model is unavailable. Passages were searched by words alone.' },
  },
});

@ObjectType()
export class KnowledgePassage extends PassageReference {
  @Field(() => DocumentKindEnum)
  kind: DocumentKind;

  @Field(() => String, { nullable: true })
  author: string | null;

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

  @Field(() => Float, {
    nullable: true,
    description: 'Similarity of meaning to the query, −1 to 1. Null if the passage has no vector.',
  })
  similarity: number | null;

  @Field(() => Float, {
    description:
      'The sort key: the BM25 score, reduced by up to half for the words of the query that the passage lacks, and combined with the similarity if there is one; multiplied by freshness and authority.',
  })
  relevance: number;

  @Field(() => Float, { description: 'A factor from 0.9 to 1. Lower for older documents.' })
  freshness: number;

  @Field(() => Float, {
    description: 'A factor from 0.85 to 1. Lower if title, path or container mark a draft or a superseded document.',
  })
  authority: number;

  @Field(() => [DuplicateKnowledgePassage], { description: 'Passages with almost the same text.' })
  duplicates: DuplicateKnowledgePassage[];

  @Field(() => Float, { description: 'Share of the informative query words that the passage contains, 0 to 1.' })
  coverage: number;

  @Field(() => [TermContribution], { description: 'The contributions of the terms, which add up to the score.' })
  why: TermContribution[];

  @Field(() => GraphQLISODateTime, { nullable: true })
  updatedAt: Date | null;

  @Field(() => GraphQLISODateTime)
  retrievedAt: Date;

  @Field(() => ID, {
    nullable: true,
    description: 'Of a linked passage: the chunkId of the found passage that names the document.',
  })
  linkedFrom?: string;
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

  @Field(() => [KnowledgePassage], {
    description:
      'Up to three documents that the passages name by a ticket key or an address, each with the passage that matches the query best. The same readers and filters apply.',
  })
  linked: KnowledgePassage[];

  @Field(() => [KnowledgeSearchTerm], { description: 'Stop words are omitted unless the query has no other words.' })
  terms: KnowledgeSearchTerm[];

  @Field(() => Int, { description: 'Number of searched connections.' })
  sources: number;

  @Field(() => Int, { description: 'Number of searched documents that the reader may see.' })
  documents: number;

  @Field(() => MeaningSearchEnum)
  meaning: MeaningSearch;
}
