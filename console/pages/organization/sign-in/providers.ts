import { graphql, type ResultOf } from '../../../api/graphql.ts';

export const providersQuery = graphql(`
  query SignInProviders {
    signInProviders {
      id
      name
      issuer
      clientId
      emailDomains
      makesMembers
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
