import { statement } from '../../platform/database/statement.js';
import type { ExistingPerson } from './people-import-plan.js';

/** `key`: the address. */
export const holdersOfAddresses = statement<
  [tenantId: string, emails: readonly string[]],
  ExistingPerson & { key: string }
>(`
  select a.key, p.id, p.name, p.email, p.member_id as "memberId", p.group_id as "groupId", p.cost_centre_id as "costCentreId",
         p.removed_at as "removedAt"
  from spend_aliases a
  join spend_people p on p.tenant_id = a.tenant_id and p.id = a.person_id
  where a.tenant_id = $1 and a.kind = 'email' and a.vendor = '' and a.key = any($2)`);

export interface ExportedPerson {
  email: string;
  name: string;
  group: string | null;
  costCentre: string | null;
  aliases: string | null;
}
export const selectExportedPeople = statement<[tenantId: string, afterEmail: string, limit: number], ExportedPerson>(
  `
  select p.email, p.name, g.name as group, c.name as "costCentre",
         (select string_agg(a.key, ' ' order by a.key) from spend_aliases a
          where a.tenant_id = $1 and a.person_id = p.id and a.kind = 'email' and a.key <> p.email) as aliases
  from spend_people p
  left join spend_units g on g.tenant_id = $1 and g.id = p.group_id
  left join spend_units c on c.tenant_id = $1 and c.id = p.cost_centre_id
  where p.tenant_id = $1 and p.email > $2 and p.removed_at is null
  order by p.email limit $3`,
  { neverNull: ['email'] },
);
