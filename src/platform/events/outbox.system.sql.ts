/** Across tenants: what nobody came for in so many days. */
export const deleteExpiredOutboxRows = `
  delete from outbox where ctid in (
    select ctid from outbox where at < now() - $1 * interval '1 day' limit $2)`;

/** The latest of some tenants, from an id on: [tenants, id, how many of each]. The key of the table finds them. */
export const outboxRowsSince = {
  name: 'outbox-since',
  text: `
    select news.* from unnest($1::uuid[]) as asked (tenant_id)
    cross join lateral (
      select o.tenant_id as "tenantId", o.id, o.kind, o.payload from outbox o
      where o.tenant_id = asked.tenant_id and o.id >= $2 order by o.id desc limit $3
    ) news`,
};
