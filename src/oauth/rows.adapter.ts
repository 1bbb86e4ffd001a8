import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { sha256 } from '../platform/crypto/digest.js';
import { accountOf } from './account-id.js';
import type { OauthTransaction } from './oauth-transaction.service.js';
import {
  consumeRow,
  deleteGrant,
  deleteRow,
  deleteRowsOfGrant,
  type EndedGrantRow,
  findRow,
  saveRow,
  type StoredRow,
} from './rows.system.sql.js';
import { userCodeHash } from './user-code.js';

/**
 * One model of the library on `oauth_rows`. What opens something (a code, a token, the id of an interaction) is kept as its
 * SHA-256, and taken out of what is kept beside it; the id of a grant opens nothing and is its name.
 */
export class RowsAdapter implements Adapter {
  constructor(
    private readonly model: string,
    private readonly transaction: OauthTransaction,
    private readonly codeKey: Buffer,
  ) {}

  async upsert(id: string, payload: AdapterPayload, expiresIn = 0): Promise<void> {
    const { accountId, clientId, userCode } = payload;
    const account = accountId ? accountOf(accountId) : undefined;
    await this.transaction.query(saveRow, [
      this.model,
      sha256(id),
      withoutIds(id, payload),
      this.model === 'Grant' ? id : (payload.grantId ?? null),
      userCode ? userCodeHash(this.codeKey, userCode) : null,
      account?.tenantId ?? null,
      account?.memberId ?? null,
      clientId ?? null,
      expiresIn,
    ]);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const { rows } = await this.transaction.query<StoredRow>(findRow, [this.model, sha256(id)]);
    if (!rows.length) return undefined;
    const found = withIds(id, rows[0]);
    // a code that was used is a used one for good: coming again it ends its grant, after its minute as well
    return this.model === 'AuthorizationCode' && found.consumed ? { ...found, exp: undefined } : found;
  }

  async consume(id: string): Promise<void> {
    const { rowCount } = await this.transaction.query(consumeRow, [this.model, sha256(id)]);
    if (!rowCount) throw new errors.InvalidGrant(`${this.model} was used already`);
  }

  async destroy(id: string): Promise<void> {
    if (this.model === 'Grant') return this.endGrant(id);
    await this.transaction.query(deleteRow, [this.model, sha256(id)]);
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await this.transaction.query(deleteRowsOfGrant, [this.model, grantId]);
  }

  /** With what made it end, it is recorded when the request is answered. */
  private async endGrant(id: string): Promise<void> {
    const { rows } = await this.transaction.query<EndedGrantRow>(deleteGrant, [sha256(id)]);
    rows.forEach((row) => this.transaction.ended.push({ ...row, grantId: id }));
  }

  // our own pages look these up by themselves; the library's are not mounted
  async findByUserCode(): Promise<undefined> {}
  async findByUid(): Promise<undefined> {}
}

/** The address that an interaction returns to ends with its id. Whose session it began in plays no part (`useOurSessions`). */
function withoutIds(
  id: string,
  { jti: _jti, userCode: _userCode, session: _session, ...payload }: AdapterPayload,
): AdapterPayload {
  const { returnTo } = payload;
  return returnTo?.endsWith(id) ? { ...payload, returnTo: returnTo.slice(0, -id.length) } : payload;
}

function withIds(id: string, { payload, consumedAt }: StoredRow): AdapterPayload {
  const returnTo = payload.returnTo as string | undefined;
  return {
    ...payload,
    jti: id,
    ...(returnTo ? { returnTo: returnTo + id } : {}),
    ...(consumedAt ? { consumed: Math.floor(consumedAt.getTime() / 1000) } : {}),
  };
}
