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
