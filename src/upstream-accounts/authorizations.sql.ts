import { statement } from '../platform/database/statement.js';
import type { PendingAuthorizationServer } from './pending-authorization-server.js';

export const storePendingAuthorization = statement<
  [
    tenantId: string,
    connectionId: string,
    memberId: string,
    sessionId: string,
    stateHash: Buffer,
    sealed: Buffer,
    lifetimeSeconds: number,
  ]
>(`
  insert into connection_authorizations (tenant_id, connection_id, member_id, session_id, state_hash, sealed, expires_at)
  values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))
  on conflict (tenant_id, connection_id, member_id) do update
  set session_id = excluded.session_id, state_hash = excluded.state_hash, sealed = excluded.sealed, expires_at = excluded.expires_at`);

/** Consumes the row once, in time, and only for the session that began it. */
export const consumePendingAuthorization = statement<
  [tenantId: string, connectionId: string, memberId: string, sessionId: string, stateHash: Buffer],
  { sealed: Buffer }
>(`
  delete from connection_authorizations
  where tenant_id = $1 and connection_id = $2 and member_id = $3 and session_id = $4 and state_hash = $5 and expires_at > now()
  returning sealed`);

export interface StoredClientRow {
  issuer: string;
  redirectUri: string;
  sealed: Buffer;
  revision: number;
}
export const clientsOfConnection = statement<[tenantId: string, connectionId: string], StoredClientRow>(`
  select issuer, redirect_uri as "redirectUri", sealed, revision from connection_clients
  where tenant_id = $1 and connection_id = $2`);

export const storeClient = statement<
  [
    tenantId: string,
    connectionId: string,
    issuer: string,
    redirectUri: string,
    sealed: Buffer,
    revision: number,
    isEntered: boolean,
  ]
>(`
  insert into connection_clients (tenant_id, connection_id, issuer, redirect_uri, sealed, revision, is_entered, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, now())
  on conflict (tenant_id, connection_id, issuer) do update
  set redirect_uri = excluded.redirect_uri, sealed = excluded.sealed, revision = excluded.revision,
      is_entered = excluded.is_entered, created_at = now()`);

/** Forgets our OAuth clients and the sign-ins in progress. What an administrator confirmed stays. */
export const deleteAuthorizationsOfConnection = ['connection_clients', 'connection_authorizations'].map((table) =>
  statement<[tenantId: string, connectionId: string]>(
    `delete from ${table} where tenant_id = $1 and connection_id = $2`,
  ),
);

/** A client that an administrator entered stays bound to its issuer. */
export const deleteRegisteredClient = statement<[tenantId: string, connectionId: string, issuer: string]>(
  'delete from connection_clients where tenant_id = $1 and connection_id = $2 and issuer = $3 and not is_entered',
);

/** Everything that decides where people, their codes and their tokens are sent. */
export interface PinnedServer {
  issuer: string;
  authorizationEndpoint: string;
  tokenEndpoint: string;
  registrationEndpoint: string | null;
  /** The server of the connection, and the resource identifier that it declares. */
  address: string;
  resource: string | null;
}

export const confirmedAuthorizationServer = statement<
  [tenantId: string, connectionId: string],
  { confirmed: PinnedServer | null; pending: PinnedServer | null }
>(`
  select confirmed, pending from connection_authorization_servers where tenant_id = $1 and connection_id = $2`);

/** `memberId` is null if accounts were connected at the server before. */
export const confirmAuthorizationServer = statement<
  [tenantId: string, connectionId: string, server: PinnedServer, memberId: string | null]
>(`
  insert into connection_authorization_servers (tenant_id, connection_id, confirmed, confirmed_by, confirmed_at)
  values ($1, $2, $3, $4, now())
  on conflict (tenant_id, connection_id) do update set
    confirmed = excluded.confirmed, confirmed_by = excluded.confirmed_by, confirmed_at = excluded.confirmed_at,
    pending = null, pending_at = null`);

export const setPendingAuthorizationServer = statement<[tenantId: string, connectionId: string, server: PinnedServer]>(`
  insert into connection_authorization_servers (tenant_id, connection_id, pending, pending_at)
  values ($1, $2, $3, now())
  on conflict (tenant_id, connection_id) do update set pending = excluded.pending, pending_at = excluded.pending_at`);

export const clearPendingAuthorizationServer = statement<[tenantId: string, connectionId: string]>(`
  update connection_authorization_servers set pending = null, pending_at = null
  where tenant_id = $1 and connection_id = $2`);

export const pendingAuthorizationServers = statement<
  [tenantId: string, connectionIds: readonly string[]],
  PendingAuthorizationServer & { connectionId: string }
>(
  `
  select s.connection_id as "connectionId", s.pending->>'issuer' as issuer,
    s.pending->>'authorizationEndpoint' as "authorizationEndpoint",
    s.confirmed->>'issuer' as "confirmedIssuer", s.pending_at as "foundAt"
  from connection_authorization_servers s
  join connections c on c.tenant_id = s.tenant_id and c.id = s.connection_id
  where s.tenant_id = $1 and s.connection_id = any($2) and s.pending is not null
    and c.settings->>'credentials' = 'personal'`,
  { neverNull: ['foundAt'] },
);

export const knownIssuers = statement<
  [tenantId: string, connectionId: string, addressOfServer: string],
  { issuer: string }
>(`
  select distinct issuer from connection_accounts where tenant_id = $1 and connection_id = $2 and address = $3`);
