import type { VersionInUse, VersionUser } from '../../people/client-usage/client-usage.port.js';
import { statement } from '../../platform/database/statement.js';
import type { Day } from '../../platform/time/day.js';
import { unmatchedName } from '../../people/unmatched-name.port.js';

export const versionsInUse = statement<[tenantId: string, since: Day], VersionInUse>(
  `
  select i.connection_id as "connectionId", c.kind as vendor, i.client_version as version,
         count(distinct coalesce(i.person_id::text, i.id::text))::int as people,
         max(i.client_version_day)::text as "lastDay"
  from spend_identities i
  join connections c on c.tenant_id = i.tenant_id and c.id = i.connection_id and c.removed_at is null
  where i.tenant_id = $1 and i.client_version <> '' and i.client_version_day >= $2
  group by 1, 2, 3
  order by 1, 3`,
  { neverNull: ['version'] },
);

/** `groupIds`: null for everybody. */
export const usersOfVersion = statement<
  [
    tenantId: string,
    connectionId: string,
    version: string,
    since: Day,
    groupIds: readonly string[] | null,
    showsPseudonyms: boolean,
    limit: number,
  ],
  VersionUser
>(`
  select coalesce(case when $6 then p.pseudonym else p.name end,
                  case when $6 then ${unmatchedName} else coalesce(i.name, i.key) end) as name,
         i.client_version_day::text as "lastDay"
  from spend_identities i
  left join spend_people p on p.tenant_id = i.tenant_id and p.id = i.person_id
  where i.tenant_id = $1 and i.connection_id = $2 and i.client_version = $3 and i.client_version_day >= $4
    and ($5::uuid[] is null or p.group_id = any($5))
  order by i.client_version_day desc, i.id
  limit $7`);
