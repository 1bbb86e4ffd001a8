import type { ApiDescription } from '../rest/openapi.js';

export const apiDescription = (baseUrl: string): ApiDescription => ({
  title: 'Countersign API',
  description: `The API for products that act for one person, in that person’s organization and under its policies. Get an access token
with the authorization code flow with PKCE. To try an operation here, enter a token under *Authorize*.`,
  baseUrl,
  securitySchemes: {
    oauth: {
      type: 'oauth2',
      description: 'Authorization code with PKCE (S256), for a product that an administrator has registered.',
      flows: {
        authorizationCode: {
          authorizationUrl: `${baseUrl}/oauth2/authorize`,
          tokenUrl: `${baseUrl}/oauth2/token`,
          refreshUrl: `${baseUrl}/oauth2/token`,
          scopes: { 'api:read': 'Look things up for you', 'api:write': 'Make changes for you (includes api:read)' },
        },
      },
    },
    token: { type: 'http', scheme: 'bearer', description: 'An access token, `cs_api_…`' },
  },
});
