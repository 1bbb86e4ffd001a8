import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { requireSession } from '../../access/sessions.service.js';
import { AuditService } from '../../audit/audit.service.js';
import { sha256 } from '../../platform/crypto/digest.js';
import { newId } from '../../platform/crypto/ids.js';
import { afterCommit, Database } from '../../platform/database/database.service.js';
import { Wakes } from '../../platform/events/wakes.service.js';
import { Outgoing } from '../../platform/http/outgoing.service.js';
import { Log } from '../../platform/telemetry/log.service.js';
import type { Principal } from '../../principal/principal.js';
import type { Connection } from '../connection.entity.js';
import { ConnectionsService } from '../connections.service.js';
import { connectionsTopic } from '../topics.js';
import { accountDeclined, accountNotBegun, accountUnusable } from './accounts.error.js';
import { AuthorizationServerPins, type ServerConfirmation } from './authorization-server-pins.service.js';
import { OwnAccounts } from './own-accounts.service.js';
import { dropAccount, isListingFree, keepAccount } from './accounts.sql.js';
import { authorizationRequest, redeem, type Standing, type Tokens } from './authorization.js';
import { Declined, explainFailure } from './authorization-failures.js';
import { approach } from './authorization-server.js';
import { keepAuthorization, takeAuthorization } from './authorizations.sql.js';
import { oauthFetch } from './oauth-fetch.js';
import { UpstreamClients } from './upstream-clients.service.js';
import { type Departure, Vault } from './vault.service.js';

const wholeMs = 20_000;
const lifeSeconds = 10 * 60;

type Person = Principal & { memberId: string; sessionId: string };

/** A person's way to the authorization server of a connected system, and back with an account. */
@Injectable()
export class AccountConnecting {
  constructor(
    private readonly database: Database,
    private readonly audit: AuditService,
    private readonly wakes: Wakes,
    private readonly outgoing: Outgoing,
    private readonly log: Log,
    private readonly connections: ConnectionsService,
    private readonly accounts: OwnAccounts,
    private readonly clients: UpstreamClients,
    private readonly vault: Vault,
    private readonly pins: AuthorizationServerPins,
  ) {}

  /** Where to send the person's browser. */
  async begin(principal: Principal, connectionId: string, print: string | null): Promise<URL | ServerConfirmation> {
    const person = requireSession(principal);
    const view = await this.accounts.get(person, connectionId);
    const connection = await this.connections.get(person, connectionId);
    const signal = AbortSignal.timeout(wholeMs);
    const { context } = await this.connections.open(person, connection, signal);
    return this.reaching(connection, async () => {
      const fetch = oauthFetch(this.outgoing, signal);
      const server = await approach(new URL(view.address), view, fetch);
      const question = await this.pins.check(person, connection, view.address, server, print);
      if (question) return question;
      const client = await this.clients.of(context, server, fetch);
      const standing: Standing = { server, client, redirectUri: this.clients.redirectUri(context.connection) };
      const state = randomBytes(32).toString('base64url');
      const { url, verifier } = await authorizationRequest(standing, state);
      await this.keep(person, connection, state, { address: view.address, standing, verifier });
      return url;
    });
  }

  /** `answer`: what stands in the address that the person came back to. */
  async finish(principal: Principal, connectionId: string, answer: URLSearchParams): Promise<void> {
    const person = requireSession(principal);
    const view = await this.accounts.get(person, connectionId);
    const departure = await this.take(person, connectionId, answer.get('state') ?? '');
    if (departure?.address !== view.address)
      throw accountNotBegun(`No way to an account at “${view.name}” is open for you here.`);
    const connection = await this.connections.get(person, connectionId);
    const listsTools = await this.reaching(connection, async () => {
      const fetch = oauthFetch(this.outgoing, AbortSignal.timeout(wholeMs));
      const { standing, verifier } = departure;
      const tokens = await redeem(standing, { answer, verifier }, fetch).catch(async (error: unknown) => {
        await this.clients.forgetUnknown(connection, standing.server, error);
        throw error;
      });
      return this.connect(person, connection, departure, tokens);
    });
    if (listsTools) await this.connections.verify(person, connectionId);
  }

  private async keep(person: Person, { id }: Connection, state: string, departure: Departure): Promise<void> {
    const { tenantId, memberId, sessionId } = person;
    const sealed = this.vault.departures.seal(departure, `${id}/${memberId}`);
    const values = [tenantId, id, memberId, sessionId, sha256(state), sealed, lifeSeconds];
    await this.database.tenant(person, (tx) => tx.query(keepAuthorization, values));
  }

  private async take(person: Person, connectionId: string, state: string): Promise<Departure | null> {
    const { tenantId, memberId, sessionId } = person;
    const values = [tenantId, connectionId, memberId, sessionId, sha256(state)];
    const [[row]] = await this.database.tenant(person, (tx) =>
      tx.query<[{ sealed: Buffer }[], number]>(takeAuthorization, values),
    );
    return row ? this.vault.departures.open(row.sealed, `${connectionId}/${memberId}`) : null;
  }

  /** Whether the tools of the connection are listed with it from now on. */
  private connect(
    person: Person,
    { id, name }: Connection,
    { address, standing }: Departure,
    tokens: Tokens,
  ): Promise<boolean> {
    const { tenantId, memberId } = person;
    const { issuer } = standing.server;
    return this.database.tenant(person, async (tx) => {
      const [{ isFree }] = await tx.query<{ isFree: boolean }[]>(isListingFree, [tenantId, id, memberId]);
      const listsTools = isFree && person.permissions.has('connections:manage');
      // not revoked over there: some servers would end the new grant with the old one
      await tx.query(dropAccount, [tenantId, id, memberId]);
      const accountId = newId();
      const sealed = this.vault.accounts.seal({ standing, tokens }, accountId);
      const own = [accountId, address, issuer, tokens.scope ?? null, listsTools, sealed, tokens.expiresAt];
      await tx.query(keepAccount, [tenantId, id, memberId, ...own]);
      await this.audit.record(tx, person, {
        kind: 'account.connected',
        subject: { type: 'connection', id, name },
        detail: { issuer, scope: tokens.scope, listsTools },
      });
      afterCommit(tx, () => this.wakes.send(connectionsTopic, id));
      return listsTools;
    });
  }

  /** Failures over there in words for the person; the cause stays for the records. */
  private async reaching<T>({ id, name }: Connection, run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      const reason = explainFailure(error);
      if (!reason) throw error;
      this.log.info({ err: error, connectionId: id }, 'an account was not connected');
      if (error instanceof Declined && error.code === 'access_denied')
        throw accountDeclined(`“${name}”: ${reason}.`, { cause: error });
      throw accountUnusable(`“${name}” cannot be used this way, because ${reason}.`, { cause: error });
    }
  }
}
