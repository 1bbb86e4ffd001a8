import { statement } from '../platform/database/statement.js';

/** `active`: those of the members who are active. */
export const principalStatus = statement<
  [tenantId: string, memberIds: string[]],
  { isPaused: boolean; active: string[] }
>(
  `
  select t.paused_at is not null as "isPaused",
         array(select m.id::text from members m where m.tenant_id = t.id and m.id = any($2::uuid[]) and m.status = 'active') as active
  from tenants t where t.id = $1`,
  { name: 'access-standing' },
);
