import { Injectable } from '@nestjs/common';
import { type Account as LibraryAccount, errors, type KoaContextWithOIDC } from 'oidc-provider';
import { parseAccountId } from './account-id.js';
import { clientFactsOf } from './client-facts.js';
import { OauthTransactionService } from './oauth-transaction.service.js';
import { findTokenHolder } from './rows.system.sql.js';

/** The library loads the account at every sign-in and whenever a code or a refresh token is exchanged. */
@Injectable()
export class AccountsService {
  constructor(private readonly transaction: OauthTransactionService) {}

  /** Returns undefined for an inactive member or a member of another organization than the client's. */
  async find({ oidc }: KoaContextWithOIDC, id: string): Promise<LibraryAccount | undefined> {
    const { tenantId, memberId } = parseAccountId(id);
    const served = oidc.client && clientFactsOf(oidc.client).tenantId;
    if (served && served !== tenantId) return undefined;
    const holder =
      this.transaction.holderOfPresented(id) ?? (await this.transaction.one(findTokenHolder, [tenantId, memberId]));
    if (!holder?.isActive) return undefined;
    // a temporary error: the client's tokens work again after the pause
    if (holder.isTenantPaused) throw new errors.TemporarilyUnavailable('the organization is paused');
    return { accountId: id, claims: () => Promise.resolve({ sub: id }) };
  }
}
