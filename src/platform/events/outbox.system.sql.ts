import { statement } from '../database/statement.js';
import type { OutboxPayload } from './outbox.sql.js';

/** Of all tenants. */
export const deleteExpiredOutboxRows = statement<[retentionDays: number, batchSize: number]>(`
  delete from outbox where ctid in (
    select ctid from outbox where at < now() - $1 * interval '1 day' limit $2)`);

export interface OutboxRow {
  tenantId: string;
  id: string;
  kind: string;
  payload: OutboxPayload;
}
/** The latest rows of each tenant, starting at an id. Uses the primary key. */
export const outboxRowsSince = statement<
  [tenantIds: readonly string[], sinceId: string, limitPerTenant: number],
  OutboxRow
>(
  `
    select news.* from unnest($1::uuid[]) as asked (tenant_id)
    cross join lateral (
      select o.tenant_id as "tenantId", o.id, o.kind, o.payload from outbox o
      where o.tenant_id = asked.tenant_id and o.id >= $2 order by o.id desc limit $3
    ) news`,
  { name: 'outbox-since' },
);
