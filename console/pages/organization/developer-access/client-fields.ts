import { graphql, type ResultOf } from '../../../api/graphql.ts';

export const clientQuery = graphql(`
  query OauthClient($id: ID!) {
    oauthClient(id: $id) {
      id
      name
      description
      logoUrl
      type
      isNative
      redirectUris
      target
      configuration {
        id
        name
      }
      scopes
      authMethod
      contacts
      status
      version
      createdAt
      lastUsedAt
      authorizationEndpoint
      tokenEndpoint
      resource
      secrets {
        id
        hint
        createdAt
        expiresAt
      }
    }
  }
`);

export type Client = ResultOf<typeof clientQuery>['oauthClient'];
export type Scope = Client['scopes'][number];

export const scopeWords: Record<Scope, { name: string; what: string }> = {
  api_read: { name: 'api:read', what: 'Look things up: search, documents, tasks, tools that only read.' },
  api_write: { name: 'api:write', what: 'Change things, too: hand over tasks, call every tool. Includes api:read.' },
};
export const typeWords: Record<Client['type'], string> = {
  public: 'Public, PKCE',
  confidential: 'Confidential, with a secret',
};
export const authMethodWords: Record<Client['authMethod'], string> = {
  none: 'None: PKCE alone',
  client_secret_basic: 'Secret in the header (client_secret_basic)',
  client_secret_post: 'Secret in the form (client_secret_post)',
};
export const targetName = ({ target, configuration }: Pick<Client, 'target' | 'configuration'>): string =>
  target === 'api' ? 'API' : `MCP: ${configuration?.name ?? ''}`;
