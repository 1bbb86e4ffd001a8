import type { Principal } from './principal.js';

/**
 * The part of a principal that is stored with its calls and tasks. Excludes permissions, because stored ones could be
 * stale, and the session: signing out withdraws nothing.
 */
export type StoredPrincipal = Omit<Principal, 'tenantId' | 'permissions' | 'requestId' | 'sessionId' | 'freshAt'>;

export function toStoredPrincipal(principal: Principal): StoredPrincipal {
  const { kind, name, memberId, agentId, configurationId, keyId, clientId, grantId, surface, scopes, chain } =
    principal;
  const stored = { kind, name, memberId, agentId, configurationId, keyId, clientId, grantId, surface, scopes, chain };
  return stored satisfies Record<keyof StoredPrincipal, unknown>; // also fails to compile without an optional field
}

/** For later decisions, on calls and tasks: these need no permissions. */
export const restorePrincipal = (tenantId: string, stored: StoredPrincipal): Principal => ({
  ...stored,
  tenantId,
  permissions: new Set(),
});
