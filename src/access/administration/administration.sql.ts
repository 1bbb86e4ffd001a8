import { advisoryLock } from '../../platform/database/advisory-lock.js';
import { statement } from '../../platform/database/statement.js';
import type { Role } from '../../principal/permissions.js';

interface LockedMember {
  id: string;
  name: string;
  roles: Role[];
}

/** Active members, in a fixed order. Until the transaction ends, their roles and their status do not change. */
export const lockActiveMembers = statement<[tenantId: string, ids: readonly string[]], LockedMember>(`
  select id, name, roles from members where tenant_id = $1 and id = any($2::uuid[]) and status = 'active'
  order by id for no key update`);

/** Serializes changes of administration in a tenant: what a change is based on stays the same until it is applied. */
export const lockAdministration = advisoryLock<[tenantId: string]>(
  "hashtextextended('administration of ' || $1::text, 0)",
);
