import { Injectable } from '@nestjs/common';
import { newId } from '../platform/crypto/ids.js';
import type { OauthAccount } from './account-id.js';
import type { ClientFacts } from './client-facts.js';
import { type ConsentKey, upsertConsent, findConsent } from './consents.system.sql.js';
import { OauthTransactionService } from './oauth-transaction.service.js';

/** Remembers consent for a year and for one revision of the client. Consent to a native client is never remembered. */
@Injectable()
export class ConsentsService {
  constructor(private readonly transaction: OauthTransactionService) {}

  /** Scopes that need no new consent from this member. */
  async rememberedScopes(account: OauthAccount, client: ClientFacts): Promise<string[]> {
    // any program on the same machine can use a native client's id and loopback address (RFC 8252, section 8.6)
    if (client.isNative) return [];
    const consent = await this.transaction.one(findConsent, consentKeyOf(account, client));
    return consent?.scopes ?? [];
  }

  async remember(account: OauthAccount, client: ClientFacts, scopes: string[]): Promise<void> {
    if (client.isNative) return;
    await this.transaction.execute(upsertConsent, [...consentKeyOf(account, client), scopes, newId()]);
  }
}

const consentKeyOf = (
  { tenantId, memberId }: OauthAccount,
  { id, revision, target, configurationId }: ClientFacts,
): ConsentKey => [tenantId, memberId, id, revision, target, configurationId];
