import type { Role } from '../principal/permissions.js';

const names: Record<Role, string> = {
  admin: 'Administrator',
  auditor: 'Auditor',
  analyst: 'Analyst',
  member: 'Member',
};

/** "Administrator, Member": the roles as the console shows them. */
export const namesOfRoles = (roles: readonly Role[]): string => roles.map((role) => names[role]).join(', ');
