import type { Pool } from 'pg';
import type { JsonObject } from '../platform/json/strict-json.js';
import type { Tx } from '../platform/database/tx.js';
import type { SessionOwner } from './exchanges.sql.js';

export interface McpSession {
  id: string;
  protocolVersion: string;
  /** The params of its `initialize` request: client info and capabilities. */
  initialize: JsonObject;
  logLevel: string | null;
  /** Fingerprints of the listings that the client saw when it last listened. */
  shown: JsonObject | null;
}

const maxSubscriptions = 1000;
/** Per member and client. Beyond this number, the least recently used sessions end. */
const maxSessions = 5000;

export const insertSession = (
  tx: Tx,
  party: SessionOwner,
  session: Pick<McpSession, 'id' | 'protocolVersion' | 'initialize'> & { tokenHash: Buffer },
) =>
  tx.query(
    `insert into mcp_sessions (tenant_id, member_id, client_id, configuration_id, id, token_hash, protocol_version, initialize,
                               subscriptions, subscription_changes, last_event, created_at, seen_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, '{}', 0, 0, now(), now())`,
    [
      party.tenantId,
      party.memberId,
      party.clientId,
      party.configurationId,
      session.id,
      session.tokenHash,
      session.protocolVersion,
      session.initialize,
    ],
  );

export const endExcessSessions = (tx: Tx, { tenantId, memberId, clientId }: SessionOwner) =>
  tx.query(
    `update mcp_sessions set ended_at = now()
     where tenant_id = $1 and id in (
       select id from mcp_sessions
       where tenant_id = $1 and member_id = $2 and client_id = $3 and ended_at is null
       order by seen_at desc offset ${maxSessions}
     )`,
    [tenantId, memberId, clientId],
  );

export async function findSession(
  pool: Pool,
  { tenantId, memberId, clientId, configurationId }: SessionOwner,
  tokenHash: Buffer,
  idleSeconds: number,
): Promise<McpSession | null> {
  const { rows } = await pool.query<McpSession>({
    name: 'mcp-session-find',
    text: `select id, protocol_version as "protocolVersion", initialize, log_level as "logLevel", shown
           from mcp_session_find($1, $2, $3, $4, $5, $6)`,
    values: [tenantId, tokenHash, memberId, clientId, configurationId, idleSeconds],
  });
  return rows[0] ?? null;
}

export const endSession = (tx: Tx, tenantId: string, id: string) =>
  tx.query('update mcp_sessions set ended_at = now() where tenant_id = $1 and id = $2 and ended_at is null', [
    tenantId,
    id,
  ]);

export const setLogLevel = (tx: Tx, tenantId: string, id: string, level: string) =>
  tx.query('update mcp_sessions set log_level = $3 where tenant_id = $1 and id = $2', [tenantId, id, level]);

export const setShown = (tx: Tx, tenantId: string, id: string, shown: object) =>
  tx.query('update mcp_sessions set shown = $3 where tenant_id = $1 and id = $2', [tenantId, id, shown]);

export const addSubscription = (tx: Tx, tenantId: string, id: string, uri: string) =>
  tx.query(
    `update mcp_sessions set subscriptions = subscriptions || $3::text, subscription_changes = subscription_changes + 1
     where tenant_id = $1 and id = $2 and not $3 = any (subscriptions) and cardinality(subscriptions) < ${maxSubscriptions}`,
    [tenantId, id, uri],
  );

export const removeSubscription = (tx: Tx, tenantId: string, id: string, uri: string) =>
  tx.query(
    `update mcp_sessions set subscriptions = array_remove(subscriptions, $3), subscription_changes = subscription_changes + 1
     where tenant_id = $1 and id = $2 and $3 = any (subscriptions)`,
    [tenantId, id, uri],
  );

/** Replaces the current listener. Returns the number of the session's newest event. Null: the session has ended. */
export async function replaceListener(tx: Tx, tenantId: string, id: string, listener: string): Promise<number | null> {
  const [[row]] = await tx.query<[{ last: number }[], number]>(
    `update mcp_sessions set listener = $3 where tenant_id = $1 and id = $2 and ended_at is null returning last_event as last`,
    [tenantId, id, listener],
  );
  return row?.last ?? null;
}
