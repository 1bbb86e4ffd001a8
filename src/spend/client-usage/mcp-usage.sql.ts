import type { ReportingConnection, ServerUse, ServerUser } from '../../people/client-usage/client-usage.port.js';
import { statement } from '../../platform/database/statement.js';
import type { Day } from '../../platform/time/day.js';

export const reportingConnections = statement<[tenantId: string], ReportingConnection>(`
  select c.id as "connectionId", c.kind as vendor, min(u.day)::text as "firstDay"
  from connections c
  join spend_identities i on i.tenant_id = c.tenant_id and i.connection_id = c.id
  join lateral (
    select day from spend_mcp_use u where u.tenant_id = i.tenant_id and u.identity = i.id order by day limit 1
  ) u on true
  where c.tenant_id = $1 and c.removed_at is null
  group by 1, 2`);

export const serversInUse = statement<[tenantId: string, connectionId: string, since: Day, limit: number], ServerUse>(`
  select i.connection_id as "connectionId", u.server, sum(u.calls)::float8 as calls,
         count(distinct coalesce(i.person_id::text, i.id::text))::int as people,
         min(u.day)::text as "firstDay", max(u.day)::text as "lastDay"
  from spend_mcp_use u
  join spend_identities i on i.tenant_id = u.tenant_id and i.id = u.identity and i.connection_id = $2
  where u.tenant_id = $1 and u.day >= $3 and u.calls > 0
  group by 1, 2
  order by 3 desc, 2
  limit $4`);

export const serverUsers = statement<[tenantId: string, connectionId: string, server: string, since: Day], ServerUser>(`
  with users as (
    select distinct i.id, i.person_id, i.email
    from spend_mcp_use u
    join spend_identities i on i.tenant_id = u.tenant_id and i.id = u.identity and i.connection_id = $2
    where u.tenant_id = $1 and u.server = $3 and u.day >= $4 and u.calls > 0
  )
  select array_remove(array_agg(distinct one.email), null) as emails
  from users
  cross join lateral (
    select users.email
    union
    select a.key from spend_aliases a
    where a.tenant_id = $1 and a.person_id = users.person_id and a.kind = 'email'
  ) one
  group by coalesce(users.person_id::text, users.id::text)`);
