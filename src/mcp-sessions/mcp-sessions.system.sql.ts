import { statement } from '../platform/database/statement.js';

/** Everything but `listener` and `isOver` is null if the session was deleted. */
export interface SessionUpdateRow {
  listener: string;
  isOver: boolean;
  /** Null: no new event. */
  number: number | null;
  sealed: Buffer | null;
  changes: number | null;
  /** Null: unchanged. */
  subscriptions: string[] | null;
}
/** Across tenants: pending events for the listeners of this process. */
export const pendingSessionUpdates = statement<
  [
    tenantIds: readonly string[],
    sessionIds: readonly string[],
    listeners: readonly string[],
    lastSentNumbers: readonly number[],
    knownSubscriptionChanges: readonly number[],
  ],
  SessionUpdateRow
>(
  `
    select a.listener, s.id is null or s.ended_at is not null or s.listener is distinct from a.listener as "isOver",
           e.number, e.message_sealed as sealed, s.subscription_changes as changes,
           case when s.subscription_changes <> a.changes then s.subscriptions end as subscriptions
    from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::int[], $5::int[]) as a (tenant_id, session_id, listener, after, changes)
    left join mcp_sessions s on s.tenant_id = a.tenant_id and s.id = a.session_id
    left join lateral (
      select number, message_sealed from mcp_events
      where tenant_id = a.tenant_id and session_id = a.session_id and stream = a.session_id and number > a.after
        and s.last_event > a.after
      order by number limit 100
    ) e on true
    where s.id is null or s.ended_at is not null or s.listener is distinct from a.listener
      or e.number is not null or s.subscription_changes <> a.changes
    order by e.number`,
  { name: 'mcp-sessions-news' },
);

/** Across tenants: a session with an open stream is not idle. */
export const touchSessions = statement<[tenantIds: readonly string[], sessionIds: readonly string[]]>(
  `
    update mcp_sessions s set seen_at = now()
    from unnest($1::uuid[], $2::uuid[]) as held (tenant_id, id)
    where s.tenant_id = held.tenant_id and s.id = held.id and s.ended_at is null`,
  { name: 'mcp-sessions-touch' },
);

/** Across tenants: deletes ended and idle sessions with their dependent rows. */
export const sweepMcpSessions = statement<[idleSeconds: number, limit: number]>(`
  with old as (
    select tenant_id, id from mcp_sessions
    where ended_at < now() - interval '1 minute' or seen_at < now() - make_interval(secs => $1)
    limit $2 for update skip locked
  )
  delete from mcp_sessions s using old where s.tenant_id = old.tenant_id and s.id = old.id`);

/** Across tenants: deletes old events of streams that no process works on. */
export const sweepMcpEvents = statement<[retentionSeconds: number, limit: number]>(`
  with old as (
    select tenant_id, session_id, stream, number from mcp_events v
    where at < now() - make_interval(secs => $1)
      and not exists (select 1 from mcp_exchanges x where x.tenant_id = v.tenant_id and x.id = v.stream and x.alive_until > now())
    limit $2
  )
  delete from mcp_events e using old
  where e.tenant_id = old.tenant_id and e.session_id = old.session_id and e.stream = old.stream and e.number = old.number`);
