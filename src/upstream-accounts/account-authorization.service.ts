import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { requireSession } from '../access/sessions.service.js';
import { OutboundHttpClient } from '../platform/http/outbound-http-client.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import type { Principal } from '../principal/principal.js';
import type { Connection } from '../connections/connection.entity.js';
import { ConnectionsService } from '../connections/connections.service.js';
import { AccountStore } from './account-store.service.js';
import { accountDeclined, accountNotBegun, accountUnusable } from './accounts.error.js';
import { AuthorizationServerPinsService, type ServerConfirmation } from './authorization-server-pins.service.js';
import { OwnAccountsService } from './own-accounts.service.js';
import { authorizationRequest, redeemCode, type AuthorizationClient } from './authorization.js';
import { AuthorizationDeclined, explainFailure } from './authorization-failures.js';
import { discoverForScopes } from './authorization-server.js';
import { oauthFetch } from './oauth-fetch.js';
import { PendingAuthorizationStore } from './pending-authorization-store.service.js';
import { UpstreamClientsService } from './upstream-clients.service.js';

const authorizationTimeoutMs = 20_000;

/** Sends a person to the authorization server of a connected system and stores the account that results. */
@Injectable()
export class AccountAuthorizationService {
  constructor(
    private readonly outboundHttpClient: OutboundHttpClient,
    private readonly log: LogService,
    private readonly connections: ConnectionsService,
    private readonly accounts: OwnAccountsService,
    private readonly clients: UpstreamClientsService,
    private readonly pins: AuthorizationServerPinsService,
    private readonly pendingAuthorizations: PendingAuthorizationStore,
    private readonly accountStore: AccountStore,
  ) {}

  /** Returns where to send the person's browser, or what an administrator must confirm first. */
  async begin(
    principal: Principal,
    connectionId: string,
    confirmedFingerprint: string | null,
  ): Promise<URL | ServerConfirmation> {
    const person = requireSession(principal);
    const view = await this.accounts.get(person, connectionId);
    const connection = await this.connections.get(person, connectionId);
    const signal = AbortSignal.timeout(authorizationTimeoutMs);
    const { context } = await this.connections.open(person, connection, signal);
    return this.explainingFailures(connection, async () => {
      const fetch = oauthFetch(this.outboundHttpClient, signal);
      const server = await discoverForScopes(new URL(view.address), view, fetch);
      const confirmation = await this.pins.check(person, connection, view.address, server, confirmedFingerprint);
      if (confirmation) return confirmation;
      const client = await this.clients.findOrRegister(context, server, fetch);
      const standing: AuthorizationClient = {
        server,
        client,
        redirectUri: this.clients.redirectUri(context.connection),
      };
      const state = randomBytes(32).toString('base64url');
      const { url, verifier } = await authorizationRequest(standing, state);
      await this.pendingAuthorizations.store(person, connection, state, {
        address: view.address,
        standing,
        verifier,
      });
      return url;
    });
  }

  /** `answer`: the query of the callback URL. */
  async finish(principal: Principal, connectionId: string, answer: URLSearchParams): Promise<void> {
    const person = requireSession(principal);
    const view = await this.accounts.get(person, connectionId);
    const authorization = await this.pendingAuthorizations.consume(person, connectionId, answer.get('state') ?? '');
    if (authorization?.address !== view.address)
      throw accountNotBegun(`No sign-in to “${view.name}” is in progress in this session.`);
    const connection = await this.connections.get(person, connectionId);
    const listsTools = await this.explainingFailures(connection, async () => {
      const fetch = oauthFetch(this.outboundHttpClient, AbortSignal.timeout(authorizationTimeoutMs));
      const { standing, verifier } = authorization;
      const tokens = await redeemCode(standing, { answer, verifier }, fetch).catch(async (error: unknown) => {
        await this.clients.deleteUnknown(connection, standing.server, error);
        throw error;
      });
      return this.accountStore.store(person, connection, authorization, tokens);
    });
    if (listsTools) await this.connections.verify(person, connectionId);
  }

  /** Turns failures of the other servers into messages for the person; the log gets the cause. */
  private async explainingFailures<T>({ id, name }: Connection, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      const reason = explainFailure(error);
      if (!reason) throw error;
      this.log.info({ err: error, connectionId: id }, 'account could not be connected');
      if (error instanceof AuthorizationDeclined && error.code === 'access_denied')
        throw accountDeclined(`“${name}”: ${reason}.`, { cause: error });
      throw accountUnusable(`Connecting an account at “${name}” failed: ${reason}.`, { cause: error });
    }
  }
}
