import { statement } from '../platform/database/statement.js';

interface SweptCall {
  tenantId: string;
  id: string;
}

/** Across tenants: executing calls whose lease has expired. */
export const lapsedCalls = statement<[], SweptCall & { isDelegation: boolean }>(`
  select tenant_id as "tenantId", id, is_delegation as "isDelegation" from tool_calls
  where state = 'executing' and executing_until <= now()
  order by executing_until limit 200`);

/**
 * Across tenants: approved calls that were not run in time, or that no task resumes and whose job did not run.
 * `isExpired` null: the call does not expire.
 */
export const strandedCalls = statement<[], SweptCall & { isExpired: boolean | null }>(`
  select tenant_id as "tenantId", id, expires_at <= now() as "isExpired" from tool_calls
  where state = 'approved' and (expires_at <= now() or expires_at is null or task_id is null)
  order by expires_at limit 200`);

/**
 * Across tenants: ended calls past retention. Deletes their salt, too: without it the hashes in the audit log are
 * opaque.
 */
export const removeOldCalls = statement<[retentionDays: number, limit: number]>(`
  with old as (
    select tenant_id, id from tool_calls
    where ended_at < now() - $1 * interval '1 day' and state in ('denied', 'succeeded', 'failed')
    order by ended_at limit $2 for update skip locked
  )
  delete from tool_calls c using old where c.tenant_id = old.tenant_id and c.id = old.id`);
