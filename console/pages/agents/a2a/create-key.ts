import { graphql } from '../../../api/graphql.ts';

export const createA2aKey = graphql(`
  mutation CreateA2aKey($input: CreateA2aKeyInput!) {
    createA2aKey(input: $input) {
      key
      a2aKey {
        id
      }
    }
  }
`);

export const revealA2aKey = graphql(`
  mutation RevealA2aKey($id: ID!) {
    revealA2aKey(input: { a2aKeyId: $id }) {
      key
      a2aKey {
        id
      }
    }
  }
`);
