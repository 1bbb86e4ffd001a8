import { clientScopes } from './clients/client.entity.js';

/** What each scope lets a product do, in words for whoever is asked. */
export const scopeDescriptions: Record<string, string> = {
  'api:read': 'Look things up for you: search, read documents, tasks and tool results that you may see',
  'api:write': 'Make changes for you: start tasks and run tools that change something, as far as you may',
};

/** Without a scope a request asks to read (RFC 6749, section 3.3); whoever may write may read. "offline_access" says nothing new: there always is a refresh token. */
export function requestedScope(scope: string | undefined): string {
  const asked = (scope ?? '').split(' ').filter((name) => name && name !== 'offline_access');
  if (!asked.length) return 'api:read';
  const all = asked.includes('api:write') ? ['api:read', ...asked] : asked;
  return [...new Set(all)].join(' ');
}

export const scopesSupported: readonly string[] = clientScopes;
