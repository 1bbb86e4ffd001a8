/** Deletes rows of all tenants that are older than the retention. $1 days, $2 batch size */
export const deleteExpiredOutboxRows = `
  delete from outbox where ctid in (
    select ctid from outbox where at < now() - $1 * interval '1 day' limit $2)`;

/** The latest rows of each tenant, starting at an id. Uses the primary key. $1 tenants, $2 id, $3 limit per tenant */
export const outboxRowsSince = {
  name: 'outbox-since',
  text: `
    select news.* from unnest($1::uuid[]) as asked (tenant_id)
    cross join lateral (
      select o.tenant_id as "tenantId", o.id, o.kind, o.payload from outbox o
      where o.tenant_id = asked.tenant_id and o.id >= $2 order by o.id desc limit $3
    ) news`,
};
