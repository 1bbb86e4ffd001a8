import type { JsonObject } from '../platform/json/strict-json.js';
import { statement } from '../platform/database/statement.js';
import type { OwnerParams } from './exchanges.sql.js';

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

export const insertSession = statement<
  [...OwnerParams, id: string, tokenHash: Buffer, protocolVersion: string, initialize: JsonObject]
>(
  `insert into mcp_sessions (tenant_id, member_id, client_id, configuration_id, id, token_hash, protocol_version, initialize,
                             subscriptions, subscription_changes, last_event, created_at, seen_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, '{}', 0, 0, now(), now())`,
);

export const endExcessSessions = statement<[tenantId: string, memberId: string, clientId: string]>(
  `update mcp_sessions set ended_at = now()
   where tenant_id = $1 and id in (
     select id from mcp_sessions
     where tenant_id = $1 and member_id = $2 and client_id = $3 and ended_at is null
     order by seen_at desc offset ${maxSessions}
   )`,
);

export const findSession = statement<
  [
    tenantId: string,
    tokenHash: Buffer,
    memberId: string,
    clientId: string,
    configurationId: string,
    idleSeconds: number,
  ],
  McpSession
>(
  `select id, protocol_version as "protocolVersion", initialize, log_level as "logLevel", shown
   from mcp_session_find($1, $2, $3, $4, $5, $6)`,
  { name: 'mcp-session-find' },
);

export const endSession = statement<[tenantId: string, id: string]>(
  'update mcp_sessions set ended_at = now() where tenant_id = $1 and id = $2 and ended_at is null',
);

export const updateLogLevel = statement<[tenantId: string, id: string, level: string]>(
  'update mcp_sessions set log_level = $3 where tenant_id = $1 and id = $2',
);

export const updateShown = statement<[tenantId: string, id: string, shown: object]>(
  'update mcp_sessions set shown = $3 where tenant_id = $1 and id = $2',
);

export const addSubscription = statement<[tenantId: string, id: string, uri: string]>(
  `update mcp_sessions set subscriptions = subscriptions || $3::text, subscription_changes = subscription_changes + 1
   where tenant_id = $1 and id = $2 and not $3 = any (subscriptions) and cardinality(subscriptions) < ${maxSubscriptions}`,
);

export const removeSubscription = statement<[tenantId: string, id: string, uri: string]>(
  `update mcp_sessions set subscriptions = array_remove(subscriptions, $3), subscription_changes = subscription_changes + 1
   where tenant_id = $1 and id = $2 and $3 = any (subscriptions)`,
);

/** Replaces the current listener. `last`: the number of the session's newest event. No row: the session has ended. */
export const replaceListener = statement<[tenantId: string, id: string, listener: string], { last: number }>(
  `update mcp_sessions set listener = $3 where tenant_id = $1 and id = $2 and ended_at is null returning last_event as last`,
);
