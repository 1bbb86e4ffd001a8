import { Injectable } from '@nestjs/common';
import { OAuthError, OAuthErrorCode, type FetchLike } from '@modelcontextprotocol/client';
import { Config } from '../platform/config/config.js';
import { DatabaseService } from '../platform/database/database.service.js';
import type { ConnectionContext } from '../connections/connector-registry.service.js';
import type { Connection } from '../connections/connection.entity.js';
import type { AuthorizationServer } from './authorization-server.js';
import { UnusableServer } from './authorization-failures.js';
import {
  clientsOfConnection,
  deleteRegisteredClient,
  storeClient,
  type StoredClientRow,
} from './authorizations.sql.js';
import { callbackPath, documentPath } from './paths.js';
import { isUsableFor, registerUpstreamClient, type UpstreamOAuthClient } from './registration.js';
import { AccountSealingService } from './account-sealing.service.js';

/**
 * The OAuth clients of a connection at authorization servers: entered by an administrator, or registered by this
 * application. A client is valid for one revision of the connection: after a change, new sign-ins use a new client.
 */
@Injectable()
export class UpstreamClientsService {
  constructor(
    private readonly config: Config,
    private readonly database: DatabaseService,
    private readonly accountSealing: AccountSealingService,
  ) {}

  redirectUri({ id }: Connection): string {
    return this.config.baseUrl + callbackPath(id);
  }

  async findOrRegister(
    context: ConnectionContext,
    server: AuthorizationServer,
    fetch: FetchLike,
  ): Promise<UpstreamOAuthClient> {
    const { connection } = context;
    const stored = await this.database.tenant(connection, (tx) =>
      tx.run(clientsOfConnection, [connection.tenantId, connection.id]),
    );
    const enteredClient = enteredClientOf(context);
    if (enteredClient) return this.bindEntered(connection, server, enteredClient, stored);
    const before = stored.find(({ issuer, revision }) => issuer === server.issuer && revision === connection.revision);
    const client = before && this.open(connection, before);
    if (client && before.redirectUri === this.redirectUri(connection) && isUsableFor(server, client)) return client;
    const registered = await registerUpstreamClient(server, this.registrationOptions(connection), fetch);
    await this.store(connection, server.issuer, registered, false);
    return registered;
  }

  /** Deletes a registered client that the server no longer knows, so that the next sign-in registers a new one. */
  async deleteUnknown(
    { tenantId, id }: Pick<Connection, 'tenantId' | 'id'>,
    { issuer }: AuthorizationServer,
    answer: unknown,
  ): Promise<void> {
    if (!(answer instanceof OAuthError) || !unknownClientCodes.includes(answer.code)) return;
    await this.database.tenant({ tenantId }, (tx) => tx.execute(deleteRegisteredClient, [tenantId, id, issuer]));
  }

  /**
   * Binds the entered client to the first authorization server that it is used with, so that its secret is never sent
   * to a server that the upstream names later. Saving the connection again confirms a new one.
   */
  private async bindEntered(
    connection: Connection,
    { issuer }: AuthorizationServer,
    client: UpstreamOAuthClient,
    stored: StoredClientRow[],
  ): Promise<UpstreamOAuthClient> {
    const bound = stored.find(({ revision }) => revision === connection.revision);
    if (bound && bound.issuer !== issuer)
      throw new UnusableServer(
        `it names another authorization server than before (${issuer} instead of ${bound.issuer}); an administrator who trusts it must save the connection again`,
      );
    if (!bound) await this.store(connection, issuer, client, true);
    return client;
  }

  private registrationOptions(connection: Connection) {
    // servers can read the document only over https (draft-ietf-oauth-client-id-metadata-document, section 3)
    const isReadable = this.config.baseUrl.startsWith('https:');
    return {
      redirectUri: this.redirectUri(connection),
      documentUrl: isReadable ? this.config.baseUrl + documentPath(connection.id) : undefined,
    };
  }

  private async store(
    connection: Connection,
    issuer: string,
    client: UpstreamOAuthClient,
    isEntered: boolean,
  ): Promise<void> {
    const { tenantId, id, revision } = connection;
    const sealed = this.accountSealing.clients.seal(client, sealRowOf(id, issuer));
    const redirectUri = this.redirectUri(connection);
    await this.database.tenant({ tenantId }, (tx) =>
      tx.execute(storeClient, [tenantId, id, issuer, redirectUri, sealed, revision, isEntered]),
    );
  }

  private open({ id }: Connection, { issuer, sealed }: StoredClientRow): UpstreamOAuthClient {
    return this.accountSealing.clients.open(sealed, sealRowOf(id, issuer));
  }
}

const unknownClientCodes: string[] = [OAuthErrorCode.InvalidClient, OAuthErrorCode.UnauthorizedClient];

const sealRowOf = (connectionId: string, issuer: string) => `${connectionId}/${issuer}`;

function enteredClientOf({ settings, secret }: ConnectionContext): UpstreamOAuthClient | null {
  if (!settings.clientId) return null;
  return { client_id: String(settings.clientId), client_secret: secret('clientSecret') };
}
