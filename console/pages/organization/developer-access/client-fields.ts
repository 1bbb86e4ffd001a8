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

export const scopeLabels: Record<Scope, { name: string; description: string }> = {
  api_read: { name: 'api:read', description: 'Read access: search, documents, tasks, and read-only tools.' },
  api_write: { name: 'api:write', description: 'Write access: submit tasks and call all tools. Includes api:read.' },
};
export const typeLabels: Record<Client['type'], string> = {
  public: 'Public (PKCE)',
  confidential: 'Confidential (client secret)',
};
export const authMethodLabels: Record<Client['authMethod'], string> = {
  none: 'None (PKCE only)',
  client_secret_basic: 'Secret in header (client_secret_basic)',
  client_secret_post: 'Secret in form body (client_secret_post)',
};
export const targetName = ({ target, configuration }: Pick<Client, 'target' | 'configuration'>): string =>
  target === 'api' ? 'API' : `MCP: ${configuration?.name ?? ''}`;
