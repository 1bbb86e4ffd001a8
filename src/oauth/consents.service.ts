import { Injectable } from '@nestjs/common';
import { newId } from '../platform/crypto/ids.js';
import type { Account } from './account-id.js';
import type { ClientFacts } from './client-facts.js';
import { rememberConsent, rememberedConsent } from './consents.system.sql.js';
import { OauthTransaction } from './oauth-transaction.service.js';

/** Consent is remembered for a year, for the client as it was shown, and never for one that others can pass for. */
@Injectable()
export class ConsentsService {
  constructor(private readonly transaction: OauthTransaction) {}

  /** What this member need not be asked again. */
  async remembered(account: Account, client: ClientFacts): Promise<string[]> {
    // anybody on the same machine can take a native client's id and its loopback address (RFC 8252, section 8.6)
    if (client.isNative) return [];
    const { rows } = await this.transaction.query<{ scopes: string[] }>(rememberedConsent, keyOf(account, client));
    return rows[0]?.scopes ?? [];
  }

  async remember(account: Account, client: ClientFacts, scopes: string[]): Promise<void> {
    if (client.isNative) return;
    await this.transaction.query(rememberConsent, [...keyOf(account, client), scopes, newId()]);
  }
}

const keyOf = ({ tenantId, memberId }: Account, { id, revision, target, configurationId }: ClientFacts) => [
  tenantId,
  memberId,
  id,
  revision,
  target,
  configurationId,
];
