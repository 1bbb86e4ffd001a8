import { statement } from '../platform/database/statement.js';

/** Of all tenants. */
export const deleteClosedSlackMessages = statement<[retentionDays: number, batchSize: number]>(`
  delete from slack_decision_messages where (tenant_id, id) in (
    select tenant_id, id from slack_decision_messages where closed_at < now() - $1 * interval '1 day' limit $2)`);
