import { graphql } from '../../api/graphql.ts';

export const searchQuery = graphql(`
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
        documentId
        chunkId
        title
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
    }
  }
`);
