import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { sha256 } from '../platform/crypto/digest.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { Tx } from '../platform/database/tx.js';
import type { Principal } from '../principal/principal.js';
import type { Connection } from '../connections/connection.entity.js';
import { authorizationServerUnconfirmed } from './accounts.error.js';
import type { AuthorizationServer } from './authorization-server.js';
import {
  confirmAuthorizationServer,
  confirmedAuthorizationServer,
  clearPendingAuthorizationServer,
  setPendingAuthorizationServer,
  knownIssuers,
  pendingAuthorizationServers,
  type PinnedServer,
} from './authorizations.sql.js';
import type { PendingAuthorizationServer } from './pending-authorization-server.js';

export type { PinnedServer } from './authorizations.sql.js';

/** Asks an administrator whether people may be sent to a server; `fingerprint` identifies exactly what was shown. */
export class ServerConfirmation {
  constructor(
    readonly discovered: PinnedServer,
    readonly confirmed: PinnedServer | null,
    readonly fingerprint: string,
  ) {}
}

/**
 * The server of a connection names the authorization server, and so the page where people sign in. An administrator
 * confirms it at set-up. Another server, or other endpoints, block new sign-ins until an administrator confirms the
 * change.
 */
@Injectable()
export class AuthorizationServerPinsService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
  ) {}

  /**
   * Null if people may be sent there. Throws for people who cannot confirm it. `confirmedFingerprint`: what the
   * administrator has confirmed.
   */
  async check(
    person: Principal,
    connection: Connection,
    address: string,
    server: AuthorizationServer,
    confirmedFingerprint: string | null,
  ): Promise<ServerConfirmation | null> {
    const discovered = toPinnedServer(address, server);
    const mayConfirm = person.permissions.has('connections:manage');
    const confirmation = await this.database.tenant(person, async (tx) => {
      const { tenantId, id } = connection;
      const row = await tx.one(confirmedAuthorizationServer, [tenantId, id]);
      const confirmed = row?.confirmed ?? null;
      if (isDeepStrictEqual(confirmed, discovered)) {
        if (row?.pending) await tx.execute(clearPendingAuthorizationServer, [tenantId, id]);
        return null;
      }
      // accounts that are older than this check: their issuer is already in use
      const issuers = confirmed ? [] : await tx.run(knownIssuers, [tenantId, id, address]);
      if (issuers.length === 1 && issuers[0].issuer === discovered.issuer) {
        await this.confirm(tx, person, connection, discovered, null);
        return null;
      }
      if (mayConfirm && confirmedFingerprint === serverFingerprint(discovered)) {
        await this.confirm(tx, person, connection, discovered, person.memberId!);
        return null;
      }
      if (!isDeepStrictEqual(row?.pending, discovered))
        await tx.execute(setPendingAuthorizationServer, [tenantId, id, discovered]);
      return new ServerConfirmation(discovered, confirmed, serverFingerprint(discovered));
    });
    if (confirmation && !mayConfirm) throw this.refusal(connection, confirmation);
    return confirmation;
  }

  /** The unconfirmed server of each connection, or null. */
  async pendingOf(principal: Principal, ids: readonly string[]): Promise<(PendingAuthorizationServer | null)[]> {
    const rows = await this.database.tenant(principal, (tx) =>
      tx.run(pendingAuthorizationServers, [principal.tenantId, ids]),
    );
    return ids.map((id) => rows.find(({ connectionId }) => connectionId === id) ?? null);
  }

  private async confirm(
    tx: Tx,
    person: Principal,
    { tenantId, id, name }: Connection,
    found: PinnedServer,
    by: string | null,
  ): Promise<void> {
    await tx.execute(confirmAuthorizationServer, [tenantId, id, found, by]);
    await this.audit.record(tx, person, {
      kind: 'connection.authorization_server_confirmed',
      subject: { type: 'connection', id, name },
      detail: { ...found, ...(by ? {} : { because: 'accounts were connected there before' }) },
    });
  }

  private refusal({ name }: Connection, { confirmed, discovered }: ServerConfirmation) {
    if (!confirmed)
      return authorizationServerUnconfirmed(
        `No administrator has confirmed the sign-in server of “${name}” yet. ${askAdministrator}`,
      );
    const change =
      confirmed.issuer === discovered.issuer
        ? `other endpoints of its authorization server (${discovered.issuer})`
        : `another authorization server (${discovered.issuer} instead of ${confirmed.issuer})`;
    return authorizationServerUnconfirmed(
      `“${name}” names ${change} than an administrator has confirmed. ${askAdministrator}`,
    );
  }
}

const askAdministrator = 'Ask an administrator to review it on the integration’s page, then try again.';

function toPinnedServer(address: string, { issuer, metadata, resource }: AuthorizationServer): PinnedServer {
  return {
    issuer,
    // without metadata, the endpoints have default paths (MCP 2025-03-26)
    authorizationEndpoint: metadata?.authorization_endpoint ?? new URL('/authorize', issuer).href,
    tokenEndpoint: metadata?.token_endpoint ?? new URL('/token', issuer).href,
    registrationEndpoint: metadata ? (metadata.registration_endpoint ?? null) : new URL('/register', issuer).href,
    address,
    resource: resource ?? null,
  };
}

const serverFingerprint = (found: PinnedServer): string =>
  sha256(JSON.stringify(Object.entries(found))).toString('base64url');
