import { Injectable } from '@nestjs/common';
import { newId } from '../platform/crypto/ids.js';
import type { OauthAccount } from './account-id.js';
import type { ClientFacts } from './client-facts.js';
import { upsertConsent, findConsent } from './consents.system.sql.js';
import { OauthTransactionService } from './oauth-transaction.service.js';

/** Consent is remembered for a year, for the client as it was shown, and never for one that others can pass for. */
@Injectable()
export class ConsentsService {
  constructor(private readonly transaction: OauthTransactionService) {}

  /** What this member need not be asked again. */
  async rememberedScopes(account: OauthAccount, client: ClientFacts): Promise<string[]> {
    // anybody on the same machine can take a native client's id and its loopback address (RFC 8252, section 8.6)
    if (client.isNative) return [];
    const { rows } = await this.transaction.query<{ scopes: string[] }>(findConsent, consentKeyOf(account, client));
    return rows[0]?.scopes ?? [];
  }

  async remember(account: OauthAccount, client: ClientFacts, scopes: string[]): Promise<void> {
    if (client.isNative) return;
    await this.transaction.query(upsertConsent, [...consentKeyOf(account, client), scopes, newId()]);
  }
}

const consentKeyOf = ({ tenantId, memberId }: OauthAccount, { id, revision, target, configurationId }: ClientFacts) => [
  tenantId,
  memberId,
  id,
  revision,
  target,
  configurationId,
];
