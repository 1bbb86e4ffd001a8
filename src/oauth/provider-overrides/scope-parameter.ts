import { type Client, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { clientScopes } from '../client.entity.js';
import { clientFactsOf } from '../client-facts.js';

/**
 * The library does not know which scopes a client is registered for. A product that requests another scope gets an
 * error. An assistant requests the scopes of our challenge regardless of its registration, so its request is narrowed to
 * the registered scopes (RFC 6749, section 3.3). Runs after the redirect URI is verified.
 */
export function refuseUnregisteredScopes(
  { oidc }: KoaContextWithOIDC,
  scope: string | undefined,
  client: Client,
): void {
  const { scopes, target } = clientFactsOf(client);
  const requested = (scope ?? '').split(' ').filter(Boolean);
  const narrowed = target === 'mcp' ? requested.filter((name) => scopes.includes(name) || !isOurs(name)) : requested;
  const foreign = narrowed.filter((name) => !scopes.includes(name));
  if (foreign.length) throw new errors.InvalidScope('the client is not registered for this scope', foreign.join(' '));
  Object.assign(oidc.params!, { scope: narrowed.join(' ') || undefined });
}

const isOurs = (scope: string): boolean => (clientScopes as readonly string[]).includes(scope);
