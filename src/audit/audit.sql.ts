/** `given`: the parameter with a JSON array of events. */
const insertAll = (given: string) => `
  insert into audit_events (tenant_id, id, at, kind, actor, subject, detail, request_id)
  select tenant, id, clock_timestamp(), kind, actor, subject, detail, request
  from json_to_recordset(${given}) as e(tenant uuid, id uuid, kind text, actor jsonb, subject jsonb, detail jsonb, request uuid)`;

export const insertEvents = { name: 'audit-insert', text: insertAll('$1') };

/** Of events whose subjects are the rows that another part of the statement has changed, by id. */
export const insertEventsOf = (changed: string, given: string) => `
  ${insertAll(given)} where (subject ->> 'id')::uuid in (select id from ${changed})`;

/** Newest first; ids are UUIDv7, so they sort by time. */
export const listEvents = `
  select tenant_id as "tenantId", id, at, kind, actor, subject, detail, request_id as "requestId",
         (select count(*)::int from audit_events e where $1::text is null or e.kind = $1) as total
  from audit_events
  where ($1::text is null or kind = $1) and ($2::uuid is null or id < $2)
  order by id desc limit $3`;
