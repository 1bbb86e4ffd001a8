import { newId } from '../../platform/crypto/ids.js';
import { hashToken, newToken } from '../../platform/crypto/tokens.js';
import type { Tx } from '../../platform/database/tx.js';
import type { Principal } from '../../principal/principal.js';
import { OauthClientSecret } from './client-secret.entity.js';

/** Returns the plain secret, which cannot be read later: only its SHA-256 is stored. */
export async function issueSecret(tx: Tx, principal: Principal, client: string): Promise<string> {
  const secret = newToken('sec');
  await tx.insert(OauthClientSecret, {
    tenantId: principal.tenantId,
    id: newId(),
    client,
    hash: hashToken(secret),
    hint: `${secret.slice(0, 'cs_sec_'.length + 4)}…`,
    createdBy: principal.memberId ?? null,
    createdAt: new Date(),
    expiresAt: null,
  });
  return secret;
}
