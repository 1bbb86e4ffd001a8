import { statement } from '../platform/database/statement.js';

/** `given`: the placeholder of the parameter that holds a JSON array of events. */
const insertAuditEventsText = (given: string) => `
  insert into audit_events (tenant_id, id, at, kind, actor, subject, detail, request_id)
  select tenant, id, clock_timestamp(), kind, actor, subject, detail, request
  from json_to_recordset(${given}) as e(tenant uuid, id uuid, kind text, actor jsonb, subject jsonb, detail jsonb, request uuid)`;

export const insertAuditEvents = statement<[events: string]>(insertAuditEventsText('$1'), { name: 'audit-insert' });

/** Inserts only the events whose subject id is among the rows that the CTE `changed` returns. */
export const insertAuditEventsOf = (changed: string, given: string) => `
  ${insertAuditEventsText(given)} where (subject ->> 'id')::uuid in (select id from ${changed})`;

/** Skip scan: one index lookup per kind, however many events have it. */
export const auditKindsQuery = statement<[tenantId: string], { kind: string }>(`
  with recursive kinds as (
    (select kind from audit_events where tenant_id = $1 order by kind limit 1)
    union all
    select (select kind from audit_events where tenant_id = $1 and kind > k.kind order by kind limit 1)
    from kinds k where k.kind is not null
  )
  select kind from kinds where kind is not null`);

const actorId = `coalesce(actor ->> 'memberId', actor ->> 'agentId')`;
const latestOf = (who: string) => `
  select ${actorId} as id, actor ->> 'kind' as kind, actor ->> 'name' as name from audit_events
  where tenant_id = $1 and ${actorId} = ${who} order by audit_events.id desc limit 1`;

export interface AuditActorRow {
  id: string;
  kind: string;
  name: string;
}
/** Skip scan: one index lookup per actor, at most 1,000 actors. */
export const auditActorsQuery = statement<[tenantId: string], AuditActorRow>(`
  with recursive actors as (
    (select ${actorId} as id from audit_events where tenant_id = $1 and ${actorId} is not null order by 1 limit 1)
    union all
    select (select ${actorId} from audit_events where tenant_id = $1 and ${actorId} > a.id order by 1 limit 1)
    from actors a where a.id is not null
  )
  select latest.* from (select id from actors where id is not null limit 1000) a
  cross join lateral (${latestOf('a.id')}) latest
  order by lower(name), id`);
