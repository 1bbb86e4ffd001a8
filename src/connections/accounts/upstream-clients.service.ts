import { Injectable } from '@nestjs/common';
import { OAuthError, OAuthErrorCode, type FetchLike } from '@modelcontextprotocol/client';
import { Config } from '../../platform/config/config.js';
import { Database } from '../../platform/database/database.service.js';
import type { ConnectionContext } from '../connection-kinds.service.js';
import type { Connection } from '../connection.entity.js';
import type { AuthorizationServer } from './authorization-server.js';
import { UnusableServer } from './authorization-failures.js';
import { clientsOf, dropClient, keepClient } from './authorizations.sql.js';
import { callbackPath, documentPath } from './paths.js';
import { isGoodFor, register, type UpstreamClient } from './registration.js';
import { Vault } from './vault.service.js';

interface KeptClient {
  issuer: string;
  redirectUri: string;
  sealed: Buffer;
  revision: number;
}

/**
 * How a connection is known at authorization servers: as an administrator entered it, or as it registered itself. It holds for
 * one revision of the connection: to save that anew makes everything new, for accounts that are connected from then on.
 */
@Injectable()
export class UpstreamClients {
  constructor(
    private readonly config: Config,
    private readonly database: Database,
    private readonly vault: Vault,
  ) {}

  redirectUri({ id }: Connection): string {
    return this.config.baseUrl + callbackPath(id);
  }

  async of(context: ConnectionContext, server: AuthorizationServer, fetch: FetchLike): Promise<UpstreamClient> {
    const { connection } = context;
    const known = await this.database.tenant(connection, (tx) =>
      tx.query<KeptClient[]>(clientsOf, [connection.tenantId, connection.id]),
    );
    const entered = enteredIn(context);
    if (entered) return this.entered(connection, server, entered, known);
    const before = known.find(({ issuer, revision }) => issuer === server.issuer && revision === connection.revision);
    const client = before && this.open(connection, before);
    if (client && before.redirectUri === this.redirectUri(connection) && isGoodFor(server, client)) return client;
    const registered = await register(server, this.ownAddresses(connection), fetch);
    await this.keep(connection, server.issuer, registered, false);
    return registered;
  }

  /** Where the server does not know it any more, as its answer says, the next way there makes a new one. */
  async forgetUnknown(
    { tenantId, id }: Pick<Connection, 'tenantId' | 'id'>,
    { issuer }: AuthorizationServer,
    answer: unknown,
  ): Promise<void> {
    if (!(answer instanceof OAuthError) || !unknownClient.includes(answer.code)) return;
    await this.database.tenant({ tenantId }, (tx) => tx.query(dropClient, [tenantId, id, issuer]));
  }

  /**
   * The server that it is used at first is the one that it was entered for: a secret is not shown to whomever an upstream
   * names later. To save the connection anew says that it is right.
   */
  private async entered(
    connection: Connection,
    { issuer }: AuthorizationServer,
    client: UpstreamClient,
    known: KeptClient[],
  ): Promise<UpstreamClient> {
    const bound = known.find(({ revision }) => revision === connection.revision);
    if (bound && bound.issuer !== issuer)
      throw new UnusableServer(
        `it names another authorization server than before (${issuer} instead of ${bound.issuer}); an administrator who trusts it saves the connection anew`,
      );
    if (!bound) await this.keep(connection, issuer, client, true);
    return client;
  }

  private ownAddresses(connection: Connection) {
    // only over https can a server read it (draft-ietf-oauth-client-id-metadata-document, section 3)
    const isReadable = this.config.baseUrl.startsWith('https:');
    return {
      redirectUri: this.redirectUri(connection),
      documentUrl: isReadable ? this.config.baseUrl + documentPath(connection.id) : undefined,
    };
  }

  private async keep(
    connection: Connection,
    issuer: string,
    client: UpstreamClient,
    isEntered: boolean,
  ): Promise<void> {
    const { tenantId, id, revision } = connection;
    const sealed = this.vault.clients.seal(client, rowOf(id, issuer));
    const values = [tenantId, id, issuer, this.redirectUri(connection), sealed, revision, isEntered];
    await this.database.tenant({ tenantId }, (tx) => tx.query(keepClient, values));
  }

  private open({ id }: Connection, { issuer, sealed }: KeptClient): UpstreamClient {
    return this.vault.clients.open(sealed, rowOf(id, issuer));
  }
}

const unknownClient: string[] = [OAuthErrorCode.InvalidClient, OAuthErrorCode.UnauthorizedClient];

const rowOf = (connectionId: string, issuer: string) => `${connectionId}/${issuer}`;

function enteredIn({ settings, secret }: ConnectionContext): UpstreamClient | null {
  if (!settings.clientId) return null;
  return { client_id: String(settings.clientId), client_secret: secret('clientSecret') };
}
