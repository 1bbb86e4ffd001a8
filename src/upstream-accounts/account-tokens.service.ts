import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { OAuthError, OAuthErrorCode } from '@modelcontextprotocol/client';
import { AuditService } from '../audit/audit.service.js';
import { DatabaseService } from '../platform/database/database.service.js';
import { OutboundHttpClient } from '../platform/http/outbound-http-client.service.js';
import { LogService } from '../platform/telemetry/log.service.js';
import { systemPrincipal } from '../principal/principal.js';
import { NotSent } from '../connections/connections.error.js';
import {
  claimRenewal,
  endAccount,
  releaseTokenRenewal,
  storeRenewedTokens,
  readAccount,
  setWantedScope,
} from './accounts.sql.js';
import { refreshTokens } from './authorization.js';
import { explainFailure } from './authorization-failures.js';
import type { BearerToken } from './bearer-fetch.js';
import { oauthFetch } from './oauth-fetch.js';
import { UpstreamClientsService } from './upstream-clients.service.js';
import { type AccountCredentials, AccountSealingService } from './account-sealing.service.js';

/** Identifies an account, and how messages name it. */
export interface AccountKey {
  tenantId: string;
  id: string;
  connection: { id: string; name: string };
  /** Creates the error that sends the person to the page where accounts are connected. */
  accountNeeded(reason: string): Error;
}

/** A row with its sealed columns opened. */
interface OpenedAccountRow extends BearerToken {
  account: AccountCredentials;
  expiresAt: Date | null;
}

/** One process has this long to renew alone; afterwards another may take over. */
const leaseSeconds = 20;
const pollMs = 100;
/** Tokens are renewed this long before they expire. */
const renewBeforeMs = 15_000;

/**
 * Transient errors. Any other error is a final answer of the server: a retry would not change it (RFC 6749, section
 * 5.2).
 */
const transientErrorCodes: string[] = [
  OAuthErrorCode.ServerError,
  OAuthErrorCode.TemporarilyUnavailable,
  OAuthErrorCode.TooManyRequests,
];

/**
 * The tokens of accounts, read from the database for each request, so that a revocation takes effect on every process
 * at once. A token is renewed once, no matter how many calls on how many processes find it expired: servers that rotate
 * refresh tokens treat a second use as theft and end the grant.
 */
@Injectable()
export class AccountTokensService {
  private readonly renewals = new Map<string, Promise<BearerToken>>();

  constructor(
    private readonly database: DatabaseService,
    private readonly audit: AuditService,
    private readonly outboundHttpClient: OutboundHttpClient,
    private readonly log: LogService,
    private readonly accountSealing: AccountSealingService,
    private readonly clients: UpstreamClientsService,
  ) {}

  async current(key: AccountKey): Promise<BearerToken> {
    const row = await this.read(key);
    const leftMs = row.expiresAt ? row.expiresAt.getTime() - Date.now() : Infinity;
    if (leftMs > renewBeforeMs || (leftMs > 0 && !row.account.tokens.refresh)) return row;
    return this.renew(key, row).catch((error: unknown) => {
      // the authorization server is unavailable, but the current token is still valid
      if (leftMs > 0 && error instanceof RenewalFailed) return row;
      throw error;
    });
  }

  async renew(key: AccountKey, used: BearerToken): Promise<BearerToken> {
    for (;;) {
      const running =
        this.renewals.get(key.id) ?? this.renewInTurn(key, used).finally(() => this.renewals.delete(key.id));
      this.renewals.set(key.id, running);
      const renewed = await running;
      if (renewed.version !== used.version) return renewed; // otherwise that renewal began before this token was issued
    }
  }

  async recordWantedScope(key: AccountKey, scope: string): Promise<void> {
    await this.database.tenant(key, (tx) => tx.execute(setWantedScope, [key.tenantId, key.id, scope]));
  }

  private async renewInTurn(key: AccountKey, used: BearerToken): Promise<BearerToken> {
    const until = Date.now() + leaseSeconds * 1000;
    for (;;) {
      const row = await this.read(key);
      if (row.version !== used.version) return row;
      const { refresh } = row.account.tokens;
      if (!refresh) return this.endAccountWith(key, row, 'its access expired');
      if (await this.claim(key, row)) return this.renewAlone(key, row, refresh);
      if (Date.now() > until) throw new RenewalFailed(key, 'another process took too long to renew it');
      await sleep(pollMs);
    }
  }

  private async claim(key: AccountKey, { version }: BearerToken): Promise<boolean> {
    const claimed = await this.database.tenant(key, (tx) =>
      tx.execute(claimRenewal, [key.tenantId, key.id, version, leaseSeconds]),
    );
    return claimed > 0;
  }

  private async renewAlone(key: AccountKey, row: OpenedAccountRow, refresh: string): Promise<BearerToken> {
    const { standing, tokens } = row.account;
    try {
      const signal = AbortSignal.timeout((leaseSeconds - 5) * 1000);
      const granted = await refreshTokens(
        standing,
        { refresh, scope: tokens.scope },
        oauthFetch(this.outboundHttpClient, signal),
      );
      await this.storeRenewed(key, row, { standing, tokens: granted }, granted.expiresAt);
    } catch (error) {
      const reason = explainFailure(error);
      if (!reason) throw error;
      this.log.info(
        { err: error, connectionId: key.connection.id, accountId: key.id },
        'account token could not be renewed',
      );
      await this.clients.deleteUnknown({ tenantId: key.tenantId, id: key.connection.id }, standing.server, error);
      if (error instanceof OAuthError && !transientErrorCodes.includes(error.code))
        return this.endAccountWith(key, row, reason);
      await this.releaseRenewal(key, row);
      throw new RenewalFailed(key, reason, { cause: error });
    }
    return this.read(key);
  }

  /** Has no effect on a row that was disconnected, or connected again, in the meantime. */
  private async storeRenewed(
    key: AccountKey,
    { version }: BearerToken,
    account: AccountCredentials,
    expiresAt: Date | null,
  ): Promise<void> {
    const sealed = this.accountSealing.accounts.seal(account, key.id);
    const scope = account.tokens.scope ?? null;
    await this.database.tenant(key, (tx) =>
      tx.execute(storeRenewedTokens, [key.tenantId, key.id, version, sealed, scope, expiresAt]),
    );
  }

  private async releaseRenewal(key: AccountKey, { version }: BearerToken): Promise<void> {
    await this.database.tenant(key, (tx) => tx.execute(releaseTokenRenewal, [key.tenantId, key.id, version]));
  }

  private async endAccountWith(key: AccountKey, { version }: BearerToken, reason: string): Promise<never> {
    await this.database.tenant(key, async (tx) => {
      const ended = await tx.one(endAccount, [key.tenantId, key.id, version, reason]);
      if (!ended) return;
      const { id, name } = key.connection;
      await this.audit.record(tx, systemPrincipal(key.tenantId, 'connections'), {
        kind: 'account.ended',
        subject: { type: 'connection', id, name },
        detail: { memberId: ended.memberId, reason },
      });
    });
    throw key.accountNeeded(reason);
  }

  private async read(key: AccountKey): Promise<OpenedAccountRow> {
    const row = await this.database.tenant(key, (tx) => tx.one(readAccount, [key.tenantId, key.id]));
    if (!row) throw key.accountNeeded('it was disconnected');
    if (!row.sealed) throw key.accountNeeded(row.endedReason!);
    const account = this.accountSealing.accounts.open(row.sealed, row.id);
    return { access: account.tokens.access, version: row.version, expiresAt: row.expiresAt, account };
  }
}

/** Temporary: the next call tries again. */
class RenewalFailed extends NotSent {
  constructor({ connection }: AccountKey, reason: string, options?: ErrorOptions) {
    super(
      `The access of your account at “${connection.name}” could not be renewed: ${reason}. The next call tries again.`,
      options,
    );
  }
}
