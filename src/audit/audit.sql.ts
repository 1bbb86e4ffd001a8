export const insertEvent = {
  name: 'audit-insert',
  text: `insert into audit_events (tenant_id, id, at, kind, actor, subject, detail, request_id)
         values ($1, $2, clock_timestamp(), $3, $4, $5, $6, $7)`,
};

/** Newest first; ids are UUIDv7, so they sort by time. */
export const listEvents = `
  select tenant_id as "tenantId", id, at, kind, actor, subject, detail, request_id as "requestId",
         (select count(*)::int from audit_events e where $1::text is null or e.kind = $1) as total
  from audit_events
  where ($1::text is null or kind = $1) and ($2::uuid is null or id < $2)
  order by id desc limit $3`;
