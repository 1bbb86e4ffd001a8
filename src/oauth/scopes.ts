import { clientScopes } from './client.entity.js';

/** Descriptions of the scopes for the person who consents. */
export const scopeDescriptions: Record<string, string> = {
  'api:read': 'Look things up for you: search, and read the documents, tasks and tool results that you may see',
  'api:write': 'Make changes for you: start tasks and run the tools that you may use',
};

/**
 * The default scope is read access (RFC 6749, section 3.3). Write access includes read access. "offline_access" is
 * ignored, because a refresh token is always issued.
 */
export function requestedScope(scope: string | undefined): string {
  const requested = (scope ?? '').split(' ').filter((name) => name && name !== 'offline_access');
  if (!requested.length) return 'api:read';
  const all = requested.includes('api:write') ? ['api:read', ...requested] : requested;
  return [...new Set(all)].join(' ');
}

export const scopesSupported: readonly string[] = clientScopes;
