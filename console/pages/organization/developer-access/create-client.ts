import { graphql, type ResultOf } from '../../../api/graphql.ts';

export const createOauthClient = graphql(`
  mutation CreateOauthClient($input: CreateOauthClientInput!) {
    createOauthClient(input: $input) {
      secret
      client {
        id
        name
        authorizationEndpoint
        tokenEndpoint
        resource
      }
    }
  }
`);
export type CreatedOauthClient = ResultOf<typeof createOauthClient>['createOauthClient'];
