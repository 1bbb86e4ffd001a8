import { statement } from '../../../platform/database/statement.js';

/** Connections that are due for a sync, across tenants, and their leases. */

export const insertMissingFeeds = statement<[connectors: string[]]>(`
  insert into spend_feeds (tenant_id, connection_id, lease_epoch, next_at, hourly_at, daily_at, weekly_at, failures)
  select tenant_id, id, 0, now(), now(), now() + interval '1 day', now() + interval '7 days', 0
  from connections c
  where kind = any ($1::text[]) and removed_at is null
    and not exists (select from spend_feeds f where f.tenant_id = c.tenant_id and f.connection_id = c.id)
  on conflict do nothing`);

interface ClaimedFeed {
  tenantId: string;
  connectionId: string;
  epoch: number;
}
/**
 * A feed is due on schedule or after its connection's settings change. The feed of a crashed process stays due, and its
 * lease expires.
 */
export const claimFeeds = statement<[limit: number, leaseSeconds: number], ClaimedFeed>(`
  update spend_feeds f
  set lease_epoch = f.lease_epoch + 1, lease_until = now() + $2 * interval '1 second', connection_revision = due.revision
  from (
    select f.tenant_id, f.connection_id, c.revision
    from spend_feeds f
    join connections c on c.tenant_id = f.tenant_id and c.id = f.connection_id
    where (f.next_at <= now() or c.revision is distinct from f.connection_revision)
      and (f.lease_until is null or f.lease_until < now()) and c.paused_at is null and c.removed_at is null
    order by f.next_at limit $1
    for no key update of f skip locked
  ) due
  where f.tenant_id = due.tenant_id and f.connection_id = due.connection_id
  returning f.tenant_id as "tenantId", f.connection_id as "connectionId", f.lease_epoch as epoch`);

/** Updates no row if another process holds the lease, or if the connection is inactive. */
export const renewFeedLease = statement<[tenantId: string, connectionId: string, epoch: number, leaseSeconds: number]>(`
  update spend_feeds f set lease_until = now() + $4 * interval '1 second'
  from connections c
  where f.tenant_id = $1 and f.connection_id = $2 and f.lease_epoch = $3
    and c.tenant_id = f.tenant_id and c.id = f.connection_id and c.paused_at is null and c.removed_at is null`);
