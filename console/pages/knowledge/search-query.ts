import { graphql, type ResultOf } from '../../api/graphql.ts';

const passageFields = graphql(`
  fragment PassageFields on KnowledgePassage @_unmask {
    documentId
    chunkId
    title
    url
    source
    kind
    author
    container
    position
    heading
    snippet
    highlights
    score
    similarity
    relevance
    freshness
    authority
    coverage
    duplicates {
      documentId
      chunkId
      title
      source
      container
      position
    }
    updatedAt
    document {
      id
      connectionId
      groupIds
    }
    why {
      term
      idf
      weight
      score
    }
  }
`);

export const searchQuery = graphql(
  `
    query SearchKnowledge($input: SearchKnowledgeInput!) {
      searchKnowledge(input: $input) {
        sources
        documents
        meaning
        terms {
          term
          passages
        }
        passages {
          ...PassageFields
        }
        linked {
          ...PassageFields
          linkedFrom
        }
      }
    }
  `,
  [passageFields],
);

export type SearchResult = ResultOf<typeof searchQuery>['searchKnowledge'];
export type Passage = ResultOf<typeof passageFields>;
