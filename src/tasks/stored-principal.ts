import type { Principal } from '../principal/principal.js';

/** Who a task works for, kept with it; permissions are not kept, since a task never needs one. */
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
