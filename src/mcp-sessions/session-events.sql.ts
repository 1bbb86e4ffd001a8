import type { Tx } from '../platform/database/tx.js';

export interface SessionStream {
  sessionId: string;
  /** The exchange of one request, or the session itself. */
  stream: string;
}
export interface SealedEvent {
  number: number;
  isLast: boolean;
  sealed: Buffer;
}

const sessionEventsPerRead = 100;

/** Skips events whose number is taken. Returns the number of inserted events. */
export async function insertSessionEvents(
  tx: Tx,
  tenantId: string,
  { sessionId, stream }: SessionStream,
  events: SealedEvent[],
): Promise<number> {
  const inserted = await tx.query<unknown[]>(
    `insert into mcp_events (tenant_id, session_id, stream, number, is_last, message_sealed, at)
     select $1, $2, $3, e.number, e.is_last, e.sealed, now()
     from unnest($4::int[], $5::boolean[], $6::bytea[]) as e (number, is_last, sealed)
     on conflict do nothing returning 1`,
    [
      tenantId,
      sessionId,
      stream,
      events.map(({ number }) => number),
      events.map(({ isLast }) => isLast),
      events.map(({ sealed }) => sealed),
    ],
  );
  return inserted.length;
}

/** Allocates numbers of the session's own stream and returns the last. The row lock reserves them until commit. */
export async function allocateEventNumbers(
  tx: Tx,
  tenantId: string,
  sessionId: string,
  count: number,
): Promise<number> {
  const [[row]] = await tx.query<[{ last: number }[], number]>(
    `update mcp_sessions set last_event = last_event + $3 where tenant_id = $1 and id = $2 returning last_event as last`,
    [tenantId, sessionId, count],
  );
  return row?.last ?? 0;
}

export const sessionEventsAfter = (
  tx: Tx,
  tenantId: string,
  { sessionId, stream }: SessionStream,
  number: number,
): Promise<SealedEvent[]> =>
  tx.query(
    `select number, is_last as "isLast", message_sealed as sealed from mcp_events
     where tenant_id = $1 and session_id = $2 and stream = $3 and number > $4
     order by number limit ${sessionEventsPerRead}`,
    [tenantId, sessionId, stream, number],
  );

export interface SessionStreamStatus {
  isAlive: boolean;
  requestId: string | number | null;
  /** Number of the last event with a message. 0: none yet. */
  newest: number;
  hasEnded: boolean;
}

/** For the stream of one request. Undefined: the stream does not exist or was deleted. */
export async function findStreamStatus(
  tx: Tx,
  tenantId: string,
  { sessionId, stream }: SessionStream,
): Promise<SessionStreamStatus | undefined> {
  const [row] = await tx.query<SessionStreamStatus[]>(
    `select x.alive_until > clock_timestamp() as "isAlive", x.request_id as "requestId",
            coalesce(e.number - (octet_length(e.message_sealed) = 0)::int, 0) as newest, coalesce(e.is_last, false) as "hasEnded"
     from mcp_exchanges x
     left join lateral (
       select number, is_last, message_sealed from mcp_events
       where tenant_id = x.tenant_id and session_id = x.session_id and stream = x.id
       order by number desc limit 1
     ) e on true
     where x.tenant_id = $1 and x.session_id = $2 and x.id = $3`,
    [tenantId, sessionId, stream],
  );
  return row;
}
