import { statement } from '../platform/database/statement.js';

/** Identifies an audit event without its content. */
export interface AuditEventRef {
  tenantId: string;
  id: string;
  kind: string;
  subjectType: string | null;
  subjectId: string | null;
  taskId: string | null;
}
/** The latest events of each tenant, starting at an id. Uses the primary key. */
export const auditEventsSince = statement<
  [tenantIds: readonly string[], sinceId: string, limitPerTenant: number],
  AuditEventRef
>(
  `
    select event.* from unnest($1::uuid[]) as asked (tenant_id)
    cross join lateral (
      select e.tenant_id as "tenantId", e.id, e.kind, e.subject ->> 'type' as "subjectType", e.subject ->> 'id' as "subjectId",
             e.detail ->> 'taskId' as "taskId"
      from audit_events e where e.tenant_id = asked.tenant_id and e.id >= $2 order by e.id desc limit $3
    ) event`,
  { name: 'audit-since' },
);
