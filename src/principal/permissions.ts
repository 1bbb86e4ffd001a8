/** Roles are sets of permissions. A member has the union of the permissions of all their roles. */
export const permissions = [
  'organization:manage',
  'members:manage',
  'keys:manage',
  'connections:manage',
  'configurations:manage',
  'policies:manage',
  'policies:read',
  'knowledge:manage',
  'approvals:decide',
  'calls:settle',
  'tasks:read',
  'audit:read',
  'spend:read',
  'spend:people',
  'spend:manage',
  'estate:read',
  'estate:manage',
] as const;
export type Permission = (typeof permissions)[number];

export const roles = ['admin', 'auditor', 'analyst', 'member'] as const;
export type Role = (typeof roles)[number];

const permissionsByRole: Record<Role, readonly Permission[]> = {
  // administrators do not automatically see the usage of individuals
  admin: permissions.filter((permission) => permission !== 'spend:people'),
  auditor: ['audit:read', 'policies:read', 'tasks:read'],
  analyst: ['spend:read', 'spend:people', 'estate:read'],
  // the step of an approval determines whether a member may decide it
  member: ['approvals:decide'],
};

export function permissionsOfRoles(held: readonly Role[]): ReadonlySet<Permission> {
  return new Set([...held, 'member' as const].flatMap((role) => permissionsByRole[role]));
}
