import { statement } from '../platform/database/statement.js';

export interface SealedEvent {
  number: number;
  isLast: boolean;
  sealed: Buffer;
}

const sessionEventsPerRead = 100;

/** Skips events whose number is taken. */
export const insertSessionEvents = statement<
  [
    tenantId: string,
    sessionId: string,
    stream: string,
    numbers: readonly number[],
    isLast: readonly boolean[],
    sealed: readonly Buffer[],
  ]
>(
  `insert into mcp_events (tenant_id, session_id, stream, number, is_last, message_sealed, at)
   select $1, $2, $3, e.number, e.is_last, e.sealed, now()
   from unnest($4::int[], $5::boolean[], $6::bytea[]) as e (number, is_last, sealed)
   on conflict do nothing`,
);

/** Allocates numbers of the session's own stream and returns the last. The row lock reserves them until commit. */
export const allocateEventNumbers = statement<[tenantId: string, sessionId: string, count: number], { last: number }>(
  `update mcp_sessions set last_event = last_event + $3 where tenant_id = $1 and id = $2 returning last_event as last`,
);

export const sessionEventsAfter = statement<
  [tenantId: string, sessionId: string, stream: string, number: number],
  SealedEvent
>(
  `select number, is_last as "isLast", message_sealed as sealed from mcp_events
   where tenant_id = $1 and session_id = $2 and stream = $3 and number > $4
   order by number limit ${sessionEventsPerRead}`,
);

export interface SessionStreamStatus {
  isAlive: boolean;
  requestId: string | number | null;
  /** Number of the last event with a message. 0: none yet. */
  newest: number;
  hasEnded: boolean;
}

/** For the stream of one request. No row: the stream does not exist or was deleted. */
export const findStreamStatus = statement<
  [tenantId: string, sessionId: string, exchangeId: string],
  SessionStreamStatus
>(
  `select x.alive_until > clock_timestamp() as "isAlive", x.request_id as "requestId",
          coalesce(e.number - (octet_length(e.message_sealed) = 0)::int, 0) as newest, coalesce(e.is_last, false) as "hasEnded"
   from mcp_exchanges x
   left join lateral (
     select number, is_last, message_sealed from mcp_events
     where tenant_id = x.tenant_id and session_id = x.session_id and stream = x.id
     order by number desc limit 1
   ) e on true
   where x.tenant_id = $1 and x.session_id = $2 and x.id = $3`,
);
