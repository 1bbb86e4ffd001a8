import { graphql } from '../../api/graphql.ts';

export const searchQuery = graphql(`
  query SearchKnowledge($input: SearchKnowledgeInput!) {
    searchKnowledge(input: $input) {
      sources
      documents
      terms {
        term
        passages
      }
      passages {
        documentId
        chunkId
        title
        source
        kind
        position
        heading
        snippet
        highlights
        score
        coverage
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
    }
  }
`);
