import { permissionsOfRoles, type Role } from '../principal/permissions.js';
import type { Principal } from '../principal/principal.js';

interface SignedInMember {
  tenantId: string;
  memberId: string;
  name: string;
  roles: readonly Role[];
  sessionId?: string;
  freshAt?: Date | null;
}

/** A person who uses a page or the console. */
export const memberPrincipal = ({
  tenantId,
  memberId,
  name,
  roles,
  sessionId,
  freshAt,
}: SignedInMember): Principal => ({
  tenantId,
  kind: 'member',
  name,
  memberId,
  sessionId,
  freshAt: freshAt ?? undefined,
  surface: 'console',
  scopes: [],
  permissions: permissionsOfRoles(roles),
  chain: [],
});

interface AdminTokenHolder {
  tenantId: string;
  tokenId: string;
  tokenName: string;
  memberId: string;
  name: string;
  roles: readonly Role[];
}

/** A program with a member's admin token: all permissions of the member except deciding approvals. */
export function adminTokenPrincipal({
  tenantId,
  tokenId,
  tokenName,
  memberId,
  name,
  roles,
}: AdminTokenHolder): Principal {
  const permissions = new Set(permissionsOfRoles(roles));
  permissions.delete('approvals:decide');
  return {
    tenantId,
    kind: 'member',
    name: `${name} (token ${tokenName})`,
    memberId,
    keyId: tokenId,
    surface: 'api',
    scopes: [],
    permissions,
    chain: [],
  };
}
