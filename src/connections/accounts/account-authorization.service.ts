import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { requireSession } from '../../access/sessions.service.js';
import { AuditService } from '../../audit/audit.service.js';
import { sha256 } from '../../platform/crypto/digest.js';
import { newId } from '../../platform/crypto/ids.js';
import { DatabaseService } from '../../platform/database/database.service.js';
import { WakeupChannel } from '../../platform/events/wakeup-channel.service.js';
import { OutboundHttpClient } from '../../platform/http/outbound-http-client.service.js';
import { LogService } from '../../platform/telemetry/log.service.js';
import type { Principal } from '../../principal/principal.js';
import type { Connection } from '../connection.entity.js';
import { ConnectionsService } from '../connections.service.js';
import { connectionsTopic } from '../topics.js';
import { accountDeclined, accountNotBegun, accountUnusable } from './accounts.error.js';
import { AuthorizationServerPinsService, type ServerConfirmation } from './authorization-server-pins.service.js';
import { OwnAccountsService } from './own-accounts.service.js';
import { deleteAccount, isListingAvailable, insertAccount } from './accounts.sql.js';
import { authorizationRequest, redeemCode, type AuthorizationClient, type TokenSet } from './authorization.js';
import { AuthorizationDeclined, explainFailure } from './authorization-failures.js';
import { discoverForScopes } from './authorization-server.js';
import { storePendingAuthorization, consumePendingAuthorization } from './authorizations.sql.js';
import { oauthFetch } from './oauth-fetch.js';
import { UpstreamClientsService } from './upstream-clients.service.js';
import { type PendingAuthorization, AccountSealingService } from './account-sealing.service.js';

const authorizationTimeoutMs = 20_000;
const authorizationLifetimeSeconds = 10 * 60;

type SignedInPerson = Principal & { memberId: string; sessionId: string };

/** Sends a person to the authorization server of a connected system and stores the account that results. */
@Injectable()
export class AccountAuthorizationService {
  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly wakeupChannel: WakeupChannel,
    private readonly outboundHttpClient: OutboundHttpClient,
    private readonly log: LogService,
    private readonly connections: ConnectionsService,
    private readonly accounts: OwnAccountsService,
    private readonly clients: UpstreamClientsService,
    private readonly accountSealing: AccountSealingService,
    private readonly pins: AuthorizationServerPinsService,
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
      await this.storeAuthorization(person, connection, state, { address: view.address, standing, verifier });
      return url;
    });
  }

  /** `answer`: the query of the callback URL. */
  async finish(principal: Principal, connectionId: string, answer: URLSearchParams): Promise<void> {
    const person = requireSession(principal);
    const view = await this.accounts.get(person, connectionId);
    const authorization = await this.consumeAuthorization(person, connectionId, answer.get('state') ?? '');
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
      return this.storeAccount(person, connection, authorization, tokens);
    });
    if (listsTools) await this.connections.verify(person, connectionId);
  }

  private async storeAuthorization(
    person: SignedInPerson,
    { id }: Connection,
    state: string,
    authorization: PendingAuthorization,
  ): Promise<void> {
    const { tenantId, memberId, sessionId } = person;
    const sealed = this.accountSealing.authorizations.seal(authorization, `${id}/${memberId}`);
    await this.database.tenant(person, (tx) =>
      tx.execute(storePendingAuthorization, [
        tenantId,
        id,
        memberId,
        sessionId,
        sha256(state),
        sealed,
        authorizationLifetimeSeconds,
      ]),
    );
  }

  private async consumeAuthorization(
    person: SignedInPerson,
    connectionId: string,
    state: string,
  ): Promise<PendingAuthorization | null> {
    const { tenantId, memberId, sessionId } = person;
    const row = await this.database.tenant(person, (tx) =>
      tx.one(consumePendingAuthorization, [tenantId, connectionId, memberId, sessionId, sha256(state)]),
    );
    return row ? this.accountSealing.authorizations.open(row.sealed, `${connectionId}/${memberId}`) : null;
  }

  /** Returns whether this account is used to list the connection's tools. */
  private storeAccount(
    person: SignedInPerson,
    { id, name }: Connection,
    { address, standing }: PendingAuthorization,
    tokens: TokenSet,
  ): Promise<boolean> {
    const { tenantId, memberId } = person;
    const { issuer } = standing.server;
    return this.database.tenant(person, async (tx) => {
      const [{ isFree }] = await tx.run(isListingAvailable, [tenantId, id, memberId]);
      const listsTools = isFree && person.permissions.has('connections:manage');
      // not revoked at the server: some servers would end the new grant together with the old one
      await tx.execute(deleteAccount, [tenantId, id, memberId]);
      const accountId = newId();
      const sealed = this.accountSealing.accounts.seal({ standing, tokens }, accountId);
      await tx.execute(insertAccount, [
        tenantId,
        id,
        memberId,
        accountId,
        address,
        issuer,
        tokens.scope ?? null,
        listsTools,
        sealed,
        tokens.expiresAt,
      ]);
      await this.audit.record(tx, person, {
        kind: 'account.connected',
        subject: { type: 'connection', id, name },
        detail: { issuer, scope: tokens.scope, listsTools },
      });
      tx.afterCommit(() => this.wakeupChannel.publish(connectionsTopic, id));
      return listsTools;
    });
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
