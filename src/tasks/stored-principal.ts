import type { Principal } from '../principal/principal.js';

/** The principal stored with a task. Permissions are not stored, because a task never needs them. */
export type StoredPrincipal = Omit<Principal, 'permissions' | 'requestId' | 'sessionId' | 'freshAt' | 'tenantId'>;

export function toStoredPrincipal(principal: Principal): StoredPrincipal {
  const { kind, name, memberId, agentId, configurationId, keyId, clientId, grantId, surface, scopes, chain } =
    principal;
  return { kind, name, memberId, agentId, configurationId, keyId, clientId, grantId, surface, scopes, chain };
}

export const restorePrincipal = (tenantId: string, stored: StoredPrincipal): Principal => ({
  ...stored,
  tenantId,
  permissions: new Set(),
});
