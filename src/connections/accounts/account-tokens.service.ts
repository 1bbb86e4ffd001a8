import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { OAuthError, OAuthErrorCode } from '@modelcontextprotocol/client';
import { AuditService } from '../../audit/audit.service.js';
import { client, Database } from '../../platform/database/database.service.js';
import { Outgoing } from '../../platform/http/outgoing.service.js';
import { Log } from '../../platform/telemetry/log.service.js';
import { systemPrincipal } from '../../principal/principal.js';
import { NotSent } from '../connections.error.js';
import {
  type AccountRow,
  claimRenewal,
  endAccount,
  freeRenewal,
  keepRenewed,
  readAccount,
  wantScope,
} from './accounts.sql.js';
import { renew } from './authorization.js';
import { explainFailure } from './authorization-failures.js';
import type { Held } from './bearer-fetch.js';
import { oauthFetch } from './oauth-fetch.js';
import { UpstreamClients } from './upstream-clients.service.js';
import { type Account, Vault } from './vault.service.js';

/** Which account, and what it is called in words. */
export interface AccountKey {
  tenantId: string;
  id: string;
  connection: { id: string; name: string };
  /** The error that sends its person to the page where accounts are connected. */
  needed(reason: string): Error;
}

/** Everything that a row says, opened. */
interface Present extends Held {
  account: Account;
  expiresAt: Date | null;
}

/** For so long one process renews alone; after that its word counts for nothing. */
const leaseSeconds = 20;
const pollMs = 100;
/** How long before its end a token is renewed. */
const earlyMs = 15_000;

/** What passes. With any other error the server has decided: asking again would change nothing (RFC 6749, section 5.2). */
const passing: string[] = [
  OAuthErrorCode.ServerError,
  OAuthErrorCode.TemporarilyUnavailable,
  OAuthErrorCode.TooManyRequests,
];

/**
 * The tokens of accounts, read anew for each request, so that whatever ends one does so on every process at once. However
 * many calls find a token at its end, on however many processes, it is renewed once: servers that rotate refresh tokens take
 * a second use for a theft and end the grant.
 */
@Injectable()
export class AccountTokens {
  private readonly renewals = new Map<string, Promise<Held>>();

  constructor(
    private readonly database: Database,
    private readonly audit: AuditService,
    private readonly outgoing: Outgoing,
    private readonly log: Log,
    private readonly vault: Vault,
    private readonly clients: UpstreamClients,
  ) {}

  async held(key: AccountKey): Promise<Held> {
    const present = await this.read(key);
    const leftMs = present.expiresAt ? present.expiresAt.getTime() - Date.now() : Infinity;
    if (leftMs > earlyMs || (leftMs > 0 && !present.account.tokens.refresh)) return present;
    return this.renewed(key, present).catch((error: unknown) => {
      // the authorization server is down, and what we have is still good
      if (leftMs > 0 && error instanceof RenewalFailed) return present;
      throw error;
    });
  }

  async renewed(key: AccountKey, used: Held): Promise<Held> {
    for (;;) {
      const running =
        this.renewals.get(key.id) ?? this.renewInTurn(key, used).finally(() => this.renewals.delete(key.id));
      this.renewals.set(key.id, running);
      const held = await running;
      if (held.version !== used.version) return held; // otherwise it was begun before this one was given out
    }
  }

  async want(key: AccountKey, scope: string): Promise<void> {
    await this.database.tenant(key, (tx) => tx.query(wantScope, [key.tenantId, key.id, scope]));
  }

  private async renewInTurn(key: AccountKey, used: Held): Promise<Held> {
    const until = Date.now() + leaseSeconds * 1000;
    for (;;) {
      const present = await this.read(key);
      if (present.version !== used.version) return present;
      const { refresh } = present.account.tokens;
      if (!refresh) return this.end(key, present, 'its access came to its end');
      if (await this.claim(key, present)) return this.renewAlone(key, present, refresh);
      if (Date.now() > until) throw new RenewalFailed(key, 'another process has been at it for too long');
      await sleep(pollMs);
    }
  }

  private async claim(key: AccountKey, { version }: Held): Promise<boolean> {
    const values = [key.tenantId, key.id, version, leaseSeconds];
    const [rows] = await this.database.tenant(key, (tx) => tx.query<[unknown[], number]>(claimRenewal, values));
    return rows.length > 0;
  }

  private async renewAlone(key: AccountKey, present: Present, refresh: string): Promise<Held> {
    const { standing, tokens } = present.account;
    try {
      const signal = AbortSignal.timeout((leaseSeconds - 5) * 1000);
      const granted = await renew(standing, { refresh, scope: tokens.scope }, oauthFetch(this.outgoing, signal));
      await this.keep(key, present, { standing, tokens: granted }, granted.expiresAt);
    } catch (error) {
      const reason = explainFailure(error);
      if (!reason) throw error;
      this.log.info({ err: error, connectionId: key.connection.id, accountId: key.id }, 'an account was not renewed');
      await this.clients.forgetUnknown({ tenantId: key.tenantId, id: key.connection.id }, standing.server, error);
      if (error instanceof OAuthError && !passing.includes(error.code)) return this.end(key, present, reason);
      await this.free(key, present);
      throw new RenewalFailed(key, reason, { cause: error });
    }
    return this.read(key);
  }

  /** A row that was disconnected, or connected anew, in the meantime takes nothing of it. */
  private async keep(key: AccountKey, { version }: Held, account: Account, expiresAt: Date | null): Promise<void> {
    const sealed = this.vault.accounts.seal(account, key.id);
    const values = [key.tenantId, key.id, version, sealed, account.tokens.scope ?? null, expiresAt];
    await this.database.tenant(key, (tx) => tx.query(keepRenewed, values));
  }

  private async free(key: AccountKey, { version }: Held): Promise<void> {
    await this.database.tenant(key, (tx) => tx.query(freeRenewal, [key.tenantId, key.id, version]));
  }

  private async end(key: AccountKey, { version }: Held, reason: string): Promise<never> {
    await this.database.tenant(key, async (tx) => {
      const values = [key.tenantId, key.id, version, reason];
      const [[ended]] = await tx.query<[{ memberId: string }[], number]>(endAccount, values);
      if (!ended) return;
      const { id, name } = key.connection;
      await this.audit.record(tx, systemPrincipal(key.tenantId, 'connections'), {
        kind: 'account.ended',
        subject: { type: 'connection', id, name },
        detail: { memberId: ended.memberId, reason },
      });
    });
    throw key.needed(reason);
  }

  private async read(key: AccountKey): Promise<Present> {
    const [row] = await this.database.tenant(key, async (tx) => {
      const connection = await client(tx);
      return (await connection.query<AccountRow>({ ...readAccount, values: [key.tenantId, key.id] })).rows;
    });
    if (!row) throw key.needed('it was disconnected');
    if (!row.sealed) throw key.needed(row.endedReason!);
    const account = this.vault.accounts.open(row.sealed, row.id);
    return { access: account.tokens.access, version: row.version, expiresAt: row.expiresAt, account };
  }
}

/** For now: the next call tries again. */
class RenewalFailed extends NotSent {
  constructor({ connection }: AccountKey, reason: string, options?: ErrorOptions) {
    super(
      `Your account at “${connection.name}” could not be renewed, because ${reason}. It is tried again with the next call.`,
      options,
    );
  }
}
