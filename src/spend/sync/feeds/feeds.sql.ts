import { statement } from '../../../platform/database/statement.js';
import type { Day } from '../../../platform/time/day.js';
import type { Cents } from '../../usage-row.js';

/** One connection's feed, under its lease. */

/** No row: another process holds the lease, or the connection is inactive. */
export const lockHeldLease = statement<[tenantId: string, connectionId: string, epoch: number]>(`
  select from spend_feeds f
  join connections c on c.tenant_id = f.tenant_id and c.id = f.connection_id and c.paused_at is null and c.removed_at is null
  where f.tenant_id = $1 and f.connection_id = $2 and f.lease_epoch = $3 for no key update of f`);

export interface FeedRow {
  hourlyAt: Date;
  dailyAt: Date;
  weeklyAt: Date;
  membersAt: Date | null;
  seats: number | null;
  failures: number;
}
export const findFeed = statement<[tenantId: string, connectionId: string], FeedRow>(`
  select hourly_at as "hourlyAt", daily_at as "dailyAt", weekly_at as "weeklyAt", members_at as "membersAt", seats, failures
  from spend_feeds where tenant_id = $1 and connection_id = $2`);

interface SyncedDayRow {
  day: Day;
  /** When the older of the two streams was requested. Null: one is missing. */
  pulledAt: Date | null;
}
export const listSyncedDays = statement<[tenantId: string, connectionId: string, firstDay: Day], SyncedDayRow>(`
  select day::text, case when bool_and(pulled_at is not null) and count(*) = 2 then min(pulled_at) end as "pulledAt"
  from spend_coverage where tenant_id = $1 and connection_id = $2 and day >= $3 group by day`);

/** The feed is due at once if a sync was requested in the meantime. */
export const releaseFeed = statement<[tenantId: string, connectionId: string, epoch: number, nextAt: Date]>(`
  update spend_feeds f
  set lease_until = null,
      next_at = case when exists (
        select from spend_runs r where r.tenant_id = $1 and r.connection_id = $2 and r.state = 'running') then now() else $4 end
  where tenant_id = $1 and connection_id = $2 and lease_epoch = $3`);

/** The feed is due at this time even if somebody requested a sync. */
export const postponeFeed = statement<[tenantId: string, connectionId: string, epoch: number, nextAt: Date]>(`
  update spend_feeds set lease_until = null, next_at = $4
  where tenant_id = $1 and connection_id = $2 and lease_epoch = $3`);

/** No request is sent until this time. */
export const setFeedWait = statement<[tenantId: string, connectionId: string, epoch: number, waitUntil: Date]>(`
  update spend_feeds set wait_until = $4 where tenant_id = $1 and connection_id = $2 and lease_epoch = $3`);

export const failFeed = statement<
  [tenantId: string, connectionId: string, epoch: number, code: string, message: string, retryAt: Date]
>(`
  update spend_feeds
  set trouble = $4, trouble_detail = $5, failures = failures + 1, next_at = $6, wait_until = $6, lease_until = null
  where tenant_id = $1 and connection_id = $2 and lease_epoch = $3`);

export const clearFeedFailure = statement<[tenantId: string, connectionId: string]>(`
  update spend_feeds set trouble = null, trouble_detail = null, failures = 0, wait_until = null
  where tenant_id = $1 and connection_id = $2 and (trouble is not null or failures > 0 or wait_until is not null)`);

export const recordMemberSync = statement<[tenantId: string, connectionId: string, seats: number]>(`
  update spend_feeds set members_at = now(), seats = $3 where tenant_id = $1 and connection_id = $2`);

export const recordBillingCycle = statement<[tenantId: string, connectionId: string, start: Day, cents: Cents]>(`
  update spend_feeds set vendor_cycle_start = $3, vendor_cycle_cents = $4, vendor_cycle_at = now()
  where tenant_id = $1 and connection_id = $2`);
