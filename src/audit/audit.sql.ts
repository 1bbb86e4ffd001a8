/** $1 a JSON array of events. */
export const insertEvents = {
  name: 'audit-insert',
  text: `insert into audit_events (tenant_id, id, at, kind, actor, subject, detail, request_id)
         select tenant, id, clock_timestamp(), kind, actor, subject, detail, request
         from json_to_recordset($1) as e(tenant uuid, id uuid, kind text, actor jsonb, subject jsonb, detail jsonb, request uuid)`,
};

/** Newest first; ids are UUIDv7, so they sort by time. */
export const listEvents = `
  select tenant_id as "tenantId", id, at, kind, actor, subject, detail, request_id as "requestId",
         (select count(*)::int from audit_events e where $1::text is null or e.kind = $1) as total
  from audit_events
  where ($1::text is null or kind = $1) and ($2::uuid is null or id < $2)
  order by id desc limit $3`;
