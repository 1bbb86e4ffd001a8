/** One connection's feed, under its lease. $1 tenant, $2 connection, $3 epoch */

export interface FeedRow {
  hourlyAt: Date;
  dailyAt: Date;
  weeklyAt: Date;
  membersAt: Date | null;
  seats: number | null;
  failures: number;
}
export const findFeed = `
  select hourly_at as "hourlyAt", daily_at as "dailyAt", weekly_at as "weeklyAt", members_at as "membersAt", seats, failures
  from spend_feeds where tenant_id = $1 and connection_id = $2`;

/** $3 first day */
export const listSyncedDays = `
  select day::text, case when bool_and(pulled_at is not null) and count(*) = 2 then min(pulled_at) end as "pulledAt"
  from spend_coverage where tenant_id = $1 and connection_id = $2 and day >= $3 group by day`;

/** $4 when the feed is due again. It is due at once if a sync was requested in the meantime. */
export const releaseFeed = `
  update spend_feeds f
  set lease_until = null,
      next_at = case when exists (
        select from spend_runs r where r.tenant_id = $1 and r.connection_id = $2 and r.state = 'running') then now() else $4 end
  where tenant_id = $1 and connection_id = $2 and lease_epoch = $3`;

/** $4 when the feed is due again, even if somebody requested a sync */
export const postponeFeed = `
  update spend_feeds set lease_until = null, next_at = $4
  where tenant_id = $1 and connection_id = $2 and lease_epoch = $3`;

/** $4 time until which no request is sent, null if the sync does not wait */
export const setFeedWait = `
  update spend_feeds set wait_until = $4 where tenant_id = $1 and connection_id = $2 and lease_epoch = $3`;

/** $4 code, $5 message, $6 time of the next attempt */
export const failFeed = `
  update spend_feeds
  set trouble = $4, trouble_detail = $5, failures = failures + 1, next_at = $6, wait_until = $6, lease_until = null
  where tenant_id = $1 and connection_id = $2 and lease_epoch = $3`;

export const clearFeedFailure = `
  update spend_feeds set trouble = null, trouble_detail = null, failures = 0, wait_until = null
  where tenant_id = $1 and connection_id = $2 and (trouble is not null or failures > 0 or wait_until is not null)`;

/** $3 seats */
export const recordMemberSync = `
  update spend_feeds set members_at = now(), seats = $3 where tenant_id = $1 and connection_id = $2`;

/** $3 start, $4 cents */
export const recordBillingCycle = `
  update spend_feeds set vendor_cycle_start = $3, vendor_cycle_cents = $4, vendor_cycle_at = now()
  where tenant_id = $1 and connection_id = $2`;
