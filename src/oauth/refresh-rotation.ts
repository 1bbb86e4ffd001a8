import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { errors, type KoaContextWithOIDC, type TokenEndpointGrantContext } from 'oidc-provider';
import { sha256 } from '../platform/crypto/digest.js';
import type { AccountsService } from './accounts.service.js';
import type { OauthTransactionService } from './oauth-transaction.service.js';
import { type PresentedRow, findRowUse } from './rows.system.sql.js';

const windowMs = 10_000;
const model = 'RefreshToken';

/** The answer that a refresh token was exchanged for, as it is kept for a moment. */
interface ReplayableResponse {
  answer: Record<string, unknown>;
  /** What was asked for besides the token. */
  asked: string;
  successor: string;
}

export type GrantHandler<P extends object> = (ctx: TokenEndpointGrantContext<P>) => void | Promise<void>;

/**
 * A refresh token is used once (RFC 9700, section 4.14.2). Products lose answers and ask twice at once, though: within ten
 * seconds the same question gets the same answer again, as long as the next token is unused. It is kept under a key that
 * only the presented token gives. Everything else that presents a used token ends the grant, which the library does.
 */
export const withReplay =
  (transaction: OauthTransactionService, accounts: AccountsService) =>
  <P extends object>(exchange: GrantHandler<P>): GrantHandler<P> =>
  async (ctx) => {
    const { refresh_token: token } = ctx.oidc.params as { refresh_token?: unknown };
    if (typeof token !== 'string') return exchange(ctx);
    const hash = sha256(token);
    if (await repeat(await transaction.loadPresented(model, hash))) return;
    await transaction.attempt(() => exchange(ctx));
    storeReplayOf(ctx, transaction, token, hash);
    if (await transaction.flush()) return;
    // two at the same time: the other one was first, and this one is told what that was answered
    if (!(await repeat(await transaction.reloadPresented(model, hash))))
      throw new errors.InvalidGrant('it was used already');

    async function repeat(presented: PresentedRow | null): Promise<boolean> {
      const again = presented && (await replay(ctx, transaction, accounts, token as string, presented));
      if (again) ctx.body = again;
      return again !== null;
    }
  };

/** A code is used once, too; of two exchanges at the same time the second is refused, and the first keeps what it got. */
export const singleUse =
  (transaction: OauthTransactionService) =>
  <P extends object>(exchange: GrantHandler<P>): GrantHandler<P> =>
  async (ctx) => {
    await transaction.attempt(() => exchange(ctx));
    if (!(await transaction.flush())) throw new errors.InvalidGrant('the code was used already');
  };

async function replay(
  ctx: KoaContextWithOIDC,
  transaction: OauthTransactionService,
  accounts: AccountsService,
  token: string,
  { payload, usedMsAgo, replay: sealed }: PresentedRow,
): Promise<ReplayableResponse['answer'] | null> {
  if (usedMsAgo === null || !sealed || usedMsAgo > windowMs) return null;
  if (payload.clientId !== ctx.oidc.client!.clientId) return null;
  const kept = openReplay(sealed, token);
  if (kept.asked !== requestedParameters(ctx) || (await isUsed(transaction, kept.successor))) return null;
  await requireActiveGrant(ctx, accounts, payload);
  return kept.answer;
}

/** What the library checks before it answers for the first time. */
async function requireActiveGrant(
  ctx: KoaContextWithOIDC,
  accounts: AccountsService,
  payload: PresentedRow['payload'],
): Promise<void> {
  const grant = await ctx.oidc.provider.Grant.find(String(payload.grantId));
  if (!grant || !(await accounts.find(ctx, String(payload.accountId))))
    throw new errors.InvalidGrant('the grant or its member is not active any more');
}

async function isUsed(transaction: OauthTransactionService, successor: string): Promise<boolean> {
  const { rows } = await transaction.query<{ isUsed: boolean }>(findRowUse, [
    model,
    Buffer.from(successor, 'base64url'),
  ]);
  return rows[0]?.isUsed ?? true;
}

function storeReplayOf(
  ctx: KoaContextWithOIDC,
  transaction: OauthTransactionService,
  token: string,
  hash: Buffer,
): void {
  const answer = ctx.body as ReplayableResponse['answer'];
  const successor = sha256(String(answer.refresh_token)).toString('base64url');
  const sealed = sealReplay({ answer, asked: requestedParameters(ctx), successor }, token);
  transaction.storeReplay(model, hash, sealed);
}

const requestedParameters = ({ oidc: { params } }: KoaContextWithOIDC): string =>
  JSON.stringify([params?.scope ?? null, params?.resource ?? null]);

function sealReplay(kept: ReplayableResponse, token: string): Buffer {
  const nonce = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', replayKeyOf(token), nonce);
  const body = Buffer.concat([cipher.update(JSON.stringify(kept)), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), body]);
}

function openReplay(sealed: Buffer, token: string): ReplayableResponse {
  const decipher = createDecipheriv('aes-256-gcm', replayKeyOf(token), sealed.subarray(0, 12)).setAuthTag(
    sealed.subarray(12, 28),
  );
  return JSON.parse(
    Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString(),
  ) as ReplayableResponse;
}

// a token has 256 random bits: hashed for this purpose alone, it is a key
const replayKeyOf = (token: string): Buffer => sha256(`replay of a refresh token: ${token}`);
