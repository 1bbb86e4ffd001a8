import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { sha256 } from '../platform/crypto/digest.js';
import { parseAccountId } from './account-id.js';
import type { OauthTransactionService } from './oauth-transaction.service.js';
import {
  consumeRow,
  deleteGrant,
  deleteRow,
  deleteRowsOfGrant,
  findRow,
  type PresentedRow,
  type StoredOauthRow,
} from './rows.system.sql.js';
import { userCodeHash } from './user-code.js';

/** Credentials that a client exchanges for tokens once. */
const presentedModels = new Set(['AuthorizationCode', 'RefreshToken']);

/**
 * Stores one model of the library in `oauth_rows`. Credentials (a code, a token, the id of an interaction) are stored
 * as SHA-256 and removed from the payload. The id of a grant is not a credential and is stored as it is.
 */
export class OauthRowsAdapter implements Adapter {
  private readonly isPresented: boolean;

  constructor(
    private readonly model: string,
    private readonly transaction: OauthTransactionService,
    private readonly codeKey: Buffer,
  ) {
    this.isPresented = presentedModels.has(model);
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn = 0): Promise<void> {
    const { accountId, clientId, userCode } = payload;
    const account = accountId ? parseAccountId(accountId) : undefined;
    this.transaction.save({
      model: this.model,
      idHash: sha256(id),
      payload: withoutIds(id, payload),
      grantId: this.model === 'Grant' ? id : (payload.grantId ?? null),
      userCodeHash: userCode ? userCodeHash(this.codeKey, userCode) : null,
      tenantId: account?.tenantId ?? null,
      memberId: account?.memberId ?? null,
      clientId: clientId ?? null,
      seconds: expiresIn,
    });
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const row = this.isPresented ? await this.transaction.loadPresented(this.model, sha256(id)) : await this.read(id);
    return row ? this.toPayload(id, row) : undefined;
  }

  async consume(id: string): Promise<void> {
    const used = this.isPresented
      ? this.transaction.consume(this.model, sha256(id))
      : await this.transaction.execute(consumeRow, [this.model, sha256(id)]);
    if (!used) throw new errors.InvalidGrant(`${this.model} was used already`);
  }

  async destroy(id: string): Promise<void> {
    if (this.model === 'Grant') return this.endGrant(id);
    await this.transaction.execute(deleteRow, [this.model, sha256(id)]);
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    await this.transaction.execute(deleteRowsOfGrant, [this.model, grantId]);
  }

  private async read(id: string): Promise<StoredOauthRow | null> {
    const payload = this.model === 'Grant' && this.transaction.grantOfPresented(id);
    if (payload) return { payload, consumedAt: null };
    return this.transaction.one(findRow, [this.model, sha256(id)]);
  }

  /**
   * A replayed code ends its grant even after the code's lifetime, so a used code gets no expiry. A code that was used
   * during this request was sent twice concurrently: `consume` refuses the second use and ends nothing.
   */
  private toPayload(id: string, row: StoredOauthRow | PresentedRow): AdapterPayload {
    const found = withIds(id, row);
    if (this.model !== 'AuthorizationCode' || !found.consumed) return found;
    const isJustUsed = 'usedMsAgo' in row && this.transaction.wasUsedMeanwhile(row);
    return isJustUsed ? { ...found, consumed: undefined } : { ...found, exp: undefined };
  }

  /** The audit event is recorded at the end of the request. */
  private async endGrant(id: string): Promise<void> {
    const ended = await this.transaction.one(deleteGrant, [sha256(id)]);
    if (ended) this.transaction.recordEndedGrant({ ...ended, grantId: id });
  }

  // our own pages use their own queries; the pages of the library are not mounted
  async findByUserCode(): Promise<undefined> {}
  async findByUid(): Promise<undefined> {}
}

/** The return URL of an interaction ends with its id. The session is not stored: `installSessionBridge` provides it. */
function withoutIds(
  id: string,
  { jti: _jti, userCode: _userCode, session: _session, ...payload }: AdapterPayload,
): AdapterPayload {
  const { returnTo } = payload;
  return returnTo?.endsWith(id) ? { ...payload, returnTo: returnTo.slice(0, -id.length) } : payload;
}

function withIds(id: string, { payload, consumedAt }: StoredOauthRow): AdapterPayload {
  const returnTo = payload.returnTo as string | undefined;
  return {
    ...payload,
    jti: id,
    ...(returnTo ? { returnTo: returnTo + id } : {}),
    ...(consumedAt ? { consumed: Math.floor(consumedAt.getTime() / 1000) } : {}),
  };
}
