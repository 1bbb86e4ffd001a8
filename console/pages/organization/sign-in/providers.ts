import { graphql, type ResultOf } from '../../../api/graphql.ts';

export const providersQuery = graphql(`
  query SignInProviders {
    signInProviders {
      id
      name
      issuer
      clientId
      emailDomains
      createsMembers
      disabledAt
      redirectUri
      version
      groups {
        id
        name
      }
    }
  }
`);

export type Provider = ResultOf<typeof providersQuery>['signInProviders'][number];
