/** The latest events of each tenant, starting at an id. Uses the primary key. $1 tenants, $2 id, $3 limit per tenant */
export const auditEventsSince = {
  name: 'audit-since',
  text: `
    select event.* from unnest($1::uuid[]) as asked (tenant_id)
    cross join lateral (
      select e.tenant_id as "tenantId", e.id, e.kind, e.subject ->> 'type' as "subjectType", e.subject ->> 'id' as "subjectId",
             e.detail ->> 'taskId' as "taskId"
      from audit_events e where e.tenant_id = asked.tenant_id and e.id >= $2 order by e.id desc limit $3
    ) event`,
};
