import { statement } from '../platform/database/statement.js';

/** Across tenants: approvals whose escalation is due. */
export const approvalsToEscalate = statement<[], { tenantId: string; id: string }>(`
  select tenant_id as "tenantId", id from approvals
  where state = 'pending' and escalated_at is null and escalates_at <= now()
  order by escalates_at limit 200`);

/** Across tenants: overdue approvals. Each is then expired in a transaction of its own tenant. */
export const overdueApprovals = statement<[], { tenantId: string; id: string }>(`
  select tenant_id as "tenantId", id from approvals
  where state = 'pending' and expires_at <= now()
  order by expires_at limit 200`);
