import { statement } from '../platform/database/statement.js';

export interface ProfileRow {
  tenantId: string;
  id: string;
  name: string;
  email: string;
  organizationName: string;
  organizationSlug: string;
}
/** Tenants and members in pairs. Runs as the system role, since one batch covers several tenants. */
export const profiles = statement<[tenantIds: string[], memberIds: string[]], ProfileRow>(
  `
    select m.tenant_id as "tenantId", m.id, m.name, m.email, t.name as "organizationName", t.slug as "organizationSlug"
    from unnest($1::uuid[], $2::uuid[]) as asked(tenant_id, id)
    join members m on m.tenant_id = asked.tenant_id and m.id = asked.id
    join tenants t on t.id = m.tenant_id`,
  { name: 'profiles' },
);
